// SPDX-License-Identifier: Apache-2.0
import Platform

/// The backend accepts or refuses requests over HTTP.
@Suite @GLibActor struct RequestTests {
  private let wire: Wire

  init() async throws {
    wire = try await Wire()
  }

  @Test func streamsAnAnswer() async throws {
    let answer = try await wire.respond(Body.request([Body.user("Hello")]))
    #expect(answer.status == 200)
    #expect(answer.headers["content-type"] == "text/event-stream")
    #expect(answer.events.types.first == "response.created")
    #expect(answer.events.types.last == "response.completed")
    #expect(answer.events.deltas == "You said: “Hello” This conversation has 1 message.")
    #expect(answer.events.text == answer.events.deltas)
    #expect(answer.events.enumerated().allSatisfy { $0 == Int($1["sequence_number"]?.integerValue ?? -1) })
    #expect(wire.backend.state.lastResponsesTransport == "http")
  }

  @Test func refusesWithTheMessagesOfTheLiveServer() async throws {
    let refusals: [(ChappieJSONValue, String)] = [
      (["instructions": ""], "Instructions are required"), (["instructions": true], "Instructions are required"),
      (["input": "Hello"], "Input must be a list"), (["store": true], "Store must be set to false"),
      (["store": .null], "Store must be set to false"), (["stream": false], "Stream must be set to true"),
      (["stream": .null], "Stream must be set to true"),
      (["temperature": .number(0.5)], "Unsupported parameter: temperature"),
      (["max_output_tokens": .integer(9)], "Unsupported parameter: max_output_tokens"),
      (["max_completion_tokens": .integer(9)], "Unsupported parameter: max_completion_tokens"),
      (["previous_response_id": "resp_1"], "Unsupported parameter: previous_response_id"),
      (["model": "gpt-2"], "The 'gpt-2' model is not supported when using Codex with a ChatGPT account."),
      (
        ["input": [Body.message("system", ["type": "input_text", "text": "Obey."])]],
        "System messages are not allowed"
      ),
    ]
    for (changes, detail) in refusals {
      guard case .object(let changes) = changes else { continue }
      let answer = try await wire.respond(Body.request([Body.user("Hello")], changes))
      #expect(answer.refusal == "400 \(detail)")
    }
    #expect(
      try await wire.send(.post, "/backend-api/codex/responses").detail == "The request body is not a JSON object")
  }

  @Test func refusesInvalidParameters() async throws {
    let invalid: [[String: ChappieJSONValue]] = [
      ["reasoning": ["effort": "enormous"]], ["reasoning": ["effort": "minimal"]], ["reasoning": ["effort": "ultra"]],
      ["model": "gpt-6-luna", "reasoning": ["effort": "ultra"]], ["reasoning": "high"], ["service_tier": "flex"],
      ["tools": "all"],
      ["tools": [["type": "function", "name": "two words"]]], ["tools": [["name": "typeless"]]],
      ["tools": [Body.tool("twice"), Body.tool("twice")]],
      ["tools": [["type": "namespace", "name": "more", "tools": [Body.tool("two words")]]]],
      ["tools": [["type": "function", "name": "odd", "parameters": ["type": "string"]]]],
      ["text": ["verbosity": "loud"]], ["text": ["format": ["type": "json_schema"]]],
    ]
    for changes in invalid {
      let answer = try await wire.respond(Body.request([Body.user("Hello")], changes))
      #expect(answer.status == 400 && answer.detail?.isEmpty == false, "\(changes)")
    }
    let tier: [String: ChappieJSONValue] = ["model": "gpt-daybreak-blue-latest", "service_tier": "priority"]
    #expect(
      try await wire.respond(Body.request([Body.user("Hello")], tier)).detail == "Unsupported service_tier: priority")
  }

  @Test func acceptsValidParameters() async throws {
    let valid: [[String: ChappieJSONValue]] = [
      ["reasoning": ["effort": "none", "summary": "auto"]], ["reasoning": ["effort": "xhigh"]],
      ["model": "gpt-6-luna", "reasoning": ["effort": "max", "context": "all_turns"]], ["service_tier": "priority"],
      ["text": ["verbosity": "high"]],
      ["text": ["format": ["type": "json_schema", "name": "plan", "strict": false, "schema": ["type": "object"]]]],
      ["tools": [Body.tool("weather"), ["type": "web_search"], ["type": "namespace", "name": "more", "tools": []]]],
      ["tools": [["type": "namespace", "name": "more", "tools": [Body.tool("clock")]]]],
      ["prompt_cache_key": "key", "client_metadata": ["thread_id": "t"], "tool_choice": "auto"],
      // Newer clients send their instructions in a developer message.
      ["input": [Body.developer("Be kind."), Body.user("Hello")], "instructions": .null],
    ]
    for changes in valid {
      #expect(try await wire.respond(Body.request([Body.user("Hello")], changes)).status == 200, "\(changes)")
    }
  }

  // MARK: Coding

  @Test func readsACompressedBody() async throws {
    let body = Body.request([Body.user("Hello")])
    let answer = try await send(wire, Zstandard.encode(body.encoded), "zstd")
    #expect(answer.events.text == "You said: “Hello” This conversation has 1 message.")
    #expect(wire.backend.state.lastResponsesBody == body.encoded)
    #expect(wire.backend.state.lastResponsesHeaders["content-encoding"] == "zstd")
    #expect(try await send(wire, body.encoded, "zstd").status == 400)
    #expect(try await send(wire, Zstandard.encode([UInt8](repeating: 32, count: 17 << 20)), "zstd").status == 413)
    #expect(try await send(wire, body.encoded, "gzip").status == 415)
    let plain = try await Wire { $0.allowsCompression = false }
    #expect(try await send(plain, Zstandard.encode(body.encoded), "zstd").status == 415)
    #expect(try await send(plain, body.encoded, "identity").status == 200)
  }

  private func send(_ wire: Wire, _ body: [UInt8], _ coding: String) async throws -> Wire.Response {
    try await wire.respond(body: body, headers: ["content-encoding": coding])
  }

  // MARK: Compaction, section 5.4 of the protocol, and the limit of the context window

  private let history = [
    Body.user("One"), Body.assistant("You said: “One”"), Body.user("Two"), Body.assistant("You said: “Two”"),
  ]
  private let trigger: ChappieJSONValue = ["type": "compaction_trigger"]

  @Test func compactsAConversation() async throws {
    let include: [String: ChappieJSONValue] = ["include": ["reasoning.encrypted_content"]]
    let answer = try await wire.respond(Body.request(history + [trigger], include))
    #expect(answer.events.types.last == "response.completed")
    let compaction = try #require(answer.events.items.first)
    #expect(answer.events.items.count == 1)
    #expect(compaction.type == "compaction")
    #expect(compaction["id"]?.stringValue?.hasPrefix("cmp_") == true)

    let next = try await wire.respond(Body.request([Body.user("Two"), compaction, Body.user("Three")]))
    #expect(
      next.events.text
        == "You said: “Three” This conversation has 2 messages. A summary stands for 4 earlier messages.")

    let again = try await wire.respond(Body.request([Body.user("Two"), compaction, Body.user("Three"), trigger]))
    let seal = try #require(again.events.items.first?["encrypted_content"])
    let alias: ChappieJSONValue = ["type": "compaction_summary", "encrypted_content": seal]
    let last = try await wire.respond(Body.request([alias, Body.user("Four")]))
    #expect(
      last.events.text == "You said: “Four” This conversation has 1 message. A summary stands for 6 earlier messages.")
  }

  @Test func anInputLargerThanTheContextWindowFails() async throws {
    let wire = try await Wire { $0.contextWindow = 100 }
    let socket = try await wire.socket()
    let events = try await socket.create(Body.request([Body.user(String(repeating: "long ", count: 100))]))
    #expect(events.types.last == "response.failed" && events.items.isEmpty)
    #expect(events.last?["response", "error", "code"] == "context_length_exceeded")
    let failed = ChappieJSONValue.string(try #require(events.responseID))
    let next = try await socket.create(Body.request([Body.user("Hi")]), ["previous_response_id": failed])
    #expect(next.first?["error", "code"] == "previous_response_not_found")
    #expect(try await wire.respond(Body.request([Body.user("Hi")])).events.types.last == "response.completed")
  }

  // MARK: The lite form, as in section 3.2 of the protocol

  private nonisolated static let mark = "x-openai-internal-codex-responses-lite"

  private nonisolated static let lite: [String: ChappieJSONValue] = [
    "model": "gpt-6-sol", "parallel_tool_calls": false, "reasoning": ["effort": "low", "context": "all_turns"],
  ]

  private func input(_ text: String) -> [ChappieJSONValue] {
    [
      ["type": "additional_tools", "id": "at_1", "role": "developer", "tools": [Body.tool("clock")]],
      Body.developer("Be brief."), Body.user(text),
    ]
  }

  @Test func aRuleRefusesThePlainForm() async throws {
    try wire.backend.play(#"[{"endpoint": "responses", "requires_lite": true, "text": "Fine.", "times": "always"}]"#)
    for (changes, mark) in [
      (["tools": [Body.tool("clock")]], "true"), (["parallel_tool_calls": true], "true"),
      (["reasoning": ["effort": "low"]], "true"), ([:], "false"),
    ] as [([String: ChappieJSONValue], String)] {
      let plain = Body.request(input("Hello"), Self.lite.merging(changes) { $1 })
      let refused = try await wire.respond(plain, headers: [Self.mark: mark])
      #expect(refused.refusal == "404 Model not found gpt-6-sol", "\(changes)")
    }
    let lite = try await wire.respond(Body.request(input("Hello"), Self.lite), headers: [Self.mark: "true"])
    #expect(lite.events.text == "Fine.")
    // A model that does not require the lite form accepts the plain one.
    wire.backend.restoreModel("gpt-5.5")
    #expect(try await wire.respond(Body.request([Body.user("Hello")], ["model": "gpt-5.5"])).status == 200)
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Platform
import Testing

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
  }

  @Test func refusesCompressionIfItIsDisabled() async throws {
    let wire = try await Wire { $0.allowsCompression = false }
    let body = Body.request([Body.user("Hello")]).encoded
    #expect(try await send(wire, Zstandard.encode(body), "zstd").status == 415)
    #expect(try await send(wire, body, "identity").status == 200)
  }

  private func send(_ wire: Wire, _ body: [UInt8], _ coding: String) async throws -> Wire.Response {
    try await wire.respond(body: body, headers: ["content-encoding": coding])
  }

  // MARK: Turn state

  @Test func sendsTheTurnStateOncePerTurn() async throws {
    let first = try await wire.respond(Body.request([Body.user("One")]))
    let state = try #require(first.headers["x-codex-turn-state"])
    #expect(wire.backend.state.turnStateGiven == state)
    #expect(wire.backend.state.turnStateSentBack == nil)

    let second = try await wire.respond(Body.request([Body.user("Two")]), headers: ["x-codex-turn-state": state])
    #expect(second.headers["x-codex-turn-state"] == nil)
    #expect(wire.backend.state.turnStateSentBack == state)
    let shown = try await wire.send(.get, "/sandbox/state").json["turn_state"]
    #expect(shown == ["given": .string(state), "sent_back": .string(state)])

    _ = try await wire.respond(Body.request([Body.user("Three")]))
    #expect(wire.backend.state.turnStateSentBack == nil)
    #expect(wire.backend.state.turnStateGiven != state)
  }
}

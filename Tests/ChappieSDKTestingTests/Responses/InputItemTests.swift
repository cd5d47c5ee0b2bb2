// SPDX-License-Identifier: Apache-2.0

/// The backend accepts or refuses the items of a conversation, calls tools, and answers with their outputs.
@Suite @GLibActor struct InputItemTests {
  private let wire: Wire

  init() async throws {
    wire = try await Wire()
  }

  @Test func refusesMalformedItems() async throws {
    let socket = try await wire.socket()
    let inputs: [[ChappieJSONValue]] = [
      [Body.output(of: "call_1", "42")], [Body.user("Hi"), Body.call("call_1", "clock")],
      [Body.call("call_1", "clock"), Body.output(of: "call_2", "noon")],
      [Body.call("call_1", "clock"), Body.output(of: "call_1", "noon"), Body.output(of: "call_1", "one")],
      ["just text"], [["type": "message", "content": "no role"]], [["type": "message", "role": "user"]],
      [Body.message("narrator", ["type": "input_text", "text": "Once"])],
      [Body.message("assistant", ["type": "input_text", "text": "I said"])],
      [Body.message("user", ["type": "output_text", "text": "I said"])],
      [Body.message("user", ["type": "input_text"])], [Body.message("user", ["type": "input_smell"])],
      [Body.message("user", ["type": "input_image", "image_url": "http://example.com/a.png"])],
      [Body.message("user", ["type": "input_image", "image_url": "data:text/plain;base64,AAAA"])],
      [Body.message("user", ["type": "input_image", "image_url": "data:image/png;base64,"])],
      [Body.message("user", ["type": "input_image", "image_url": "data:image/png,raw"])],
      [Body.message("user", ["type": "input_file", "filename": "a.txt", "file_data": "SGk="])],
      [Body.message("user", ["type": "input_image"])], [["type": "dream"]],
      [["type": "function_call", "call_id": "call_1", "name": "clock"], Body.output(of: "call_1", "noon")],
      [Body.call("call_1", "clock"), ["type": "function_call_output", "call_id": "call_1"]],
      [["type": "reasoning", "summary": [], "encrypted_content": "made up"]], [["type": "reasoning"]],
      [["type": "compaction", "encrypted_content": "made up"]], [["type": "compaction"]],
      [["type": "compaction_trigger"], Body.user("Hi")],
    ]
    for input in inputs {
      let answer = try await wire.respond(Body.request(input))
      #expect(answer.status == 400, "\(input)")
      #expect(answer.detail?.isEmpty == false, "\(input)")
      let frame = try #require(try await socket.create(Body.request(input)).first)
      #expect(frame["status"]?.integerValue == 400, "\(input)")
      #expect(frame["error", "message"]?.stringValue == answer.detail)
    }
  }

  @Test func acceptsAllKnownItems() async throws {
    let input: [ChappieJSONValue] = [
      Body.developer("Be kind."), ["role": "user", "content": "Bare text"], Body.assistant("Indeed."),
      ["type": "web_search_call", "status": "completed", "action": [:]], Body.call("call_1", "clock"),
      [
        "type": "function_call_output", "call_id": "call_1",
        "output": [
          ["type": "input_text", "text": "noon"], ["type": "input_image", "image_url": "https://example.com/a"],
        ],
      ],
      ["type": "custom_tool_call", "call_id": "call_2", "name": "patch", "input": "…"],
      ["type": "custom_tool_call_output", "call_id": "call_2", "output": "done"],
      ["type": "reasoning", "summary": [["type": "summary_text", "text": "Hm."]], "encrypted_content": .null],
      Body.user("Well?"),
    ]
    let answer = try await wire.respond(Body.request(input))
    #expect(answer.events.text == "You said: “Well?” This conversation has 3 messages.")
  }

  @Test func countsImages() async throws {
    let image: ChappieJSONValue = ["type": "input_image", "image_url": "https://example.com/a.png", "detail": "high"]
    let message = Body.message("user", ["type": "input_text", "text": "Look"], image, image)
    let answer = try await wire.respond(Body.request([message]))
    #expect(answer.events.text == "You said: “Look” It came with 2 images. This conversation has 1 message.")
    try wire.backend.replaceModels(#"[{"slug": "reader", "input_modalities": ["text"]}]"#)
    let blind = try await wire.respond(Body.request([message], ["model": "reader"]))
    #expect(blind.detail == "The 'reader' model does not take images")
  }

  // MARK: Reasoning

  @Test func acceptsItsOwnEncryptedReasoning() async throws {
    let include: [String: ChappieJSONValue] = ["include": ["reasoning.encrypted_content"]]
    // It sends reasoning only on request.
    for changes in [[:], include.merging(["reasoning": ["effort": "none"]]) { $1 }] {
      let answer = try await wire.respond(Body.request([Body.user("One")], changes))
      #expect(answer.events.items.map(\.type) == ["message"])
    }
    let first = try await wire.respond(Body.request([Body.user("One")], include))
    let items = first.events.items
    #expect(items.map(\.type) == ["reasoning", "message"])
    #expect(items.first?["encrypted_content"]?.stringValue?.isEmpty == false)

    let seal = try #require(items.first?["encrypted_content"]?.stringValue)
    let changed: ChappieJSONValue = [
      "type": "reasoning", "summary": [], "encrypted_content": .string(seal.replacing("1", with: "2")),
    ]
    let refused = try await wire.respond(Body.request([changed, Body.user("Two")]))
    #expect(refused.detail == "The encrypted content could not be verified")
    let misused: ChappieJSONValue = ["type": "compaction", "encrypted_content": .string(seal)]
    #expect(try await wire.respond(Body.request([misused, Body.user("Two")])).status == 400)
  }

  // MARK: Tools

  private let tools: [String: ChappieJSONValue] = ["tools": [Body.tool("weather"), Body.tool("clock")]]

  @Test func aMessageCallsATool() async throws {
    let answer = try await wire.respond(Body.request([Body.user(#"use weather {"city": "Oslo in June"}"#)], tools))
    let call = try #require(answer.events.items.first)
    #expect(answer.events.items.count == 1)
    #expect(call.type == "function_call")
    #expect(call["name"] == "weather")
    #expect(call["arguments"] == #"{"city": "Oslo in June"}"#)
    let deltas = answer.events.filter { $0.type == "response.function_call_arguments.delta" }
    #expect(deltas.count > 1)
    #expect(deltas.compactMap { $0["delta"]?.stringValue }.joined() == call["arguments"]?.stringValue)
    #expect(
      answer.events.types.filter { !$0.hasSuffix(".delta") } == [
        "response.created", "response.in_progress", "response.output_item.added",
        "response.function_call_arguments.done", "response.output_item.done", "response.completed",
      ])

    let id = try #require(call["call_id"]?.stringValue)
    let history = [Body.user("use weather {}"), call, Body.output(of: id, "rain")]
    let next = try await wire.respond(Body.request(history, tools))
    #expect(next.events.text == "The tool weather said: rain")
    let thanks = try await wire.respond(Body.request(history + next.events.items + [Body.user("Thanks")], tools))
    #expect(thanks.events.text == "You said: “Thanks” This conversation has 3 messages.")
  }

  @Test func severalLinesCallSeveralToolsIfTheRequestLetsThem() async throws {
    for (isParallel, names) in [(true, ["weather", "clock"]), (false, ["weather"])] {
      let changes = tools.merging(["parallel_tool_calls": .bool(isParallel)]) { $1 }
      let answer = try await wire.respond(Body.request([Body.user("use weather {}\nuse clock\n")], changes))
      #expect(answer.events.items.compactMap { $0["name"]?.stringValue } == names)
    }
  }

  @Test func callsNoToolForOtherTextAndIfTheRequestForbidsIt() async throws {
    let forbidden = tools.merging(["tool_choice": "none"]) { $1 }
    for (text, changes) in [
      ("use spoon {}", tools), ("use weather {nope", tools), ("use weather [1]", tools),
      ("use weather {}\nplease", tools), ("please use clock", tools), ("use clock", forbidden),
    ] {
      let answer = try await wire.respond(Body.request([Body.user(text)], changes))
      #expect(answer.events.items.map(\.type) == ["message"], "\(text)")
    }
  }

  @Test func aRuleCallsACustomTool() async throws {
    try wire.backend.play(
      """
      [{"endpoint": "responses", "tool_calls": [{"name": "exec", "namespace": "functions", "input": "text(1 + 1)"}]}]
      """)
    let answer = try await wire.respond(Body.request([Body.user("Hello")])).events
    let call = try #require(answer.items.first)
    #expect(call.type == "custom_tool_call" && call["input"] == "text(1 + 1)" && call["namespace"] == "functions")
    let deltas = answer.filter { $0.type == "response.custom_tool_call_input.delta" }
    #expect(deltas.compactMap { $0["delta"]?.stringValue }.joined() == "text(1 + 1)")
    #expect(answer.first { $0.type == "response.custom_tool_call_input.done" }?["input"] == "text(1 + 1)")

    let output: ChappieJSONValue = [
      "type": "custom_tool_call_output", "call_id": try #require(call["call_id"]),
      "output": [["type": "input_text", "text": "2"]],
    ]
    let next = try await wire.respond(Body.request([Body.user("Hello"), call, output]))
    #expect(next.events.text == "The tool exec said: 2")
  }
}

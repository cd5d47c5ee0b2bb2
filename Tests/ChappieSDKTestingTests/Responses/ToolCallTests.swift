// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// The stand-in calls tools and answers with their outputs.
@Suite @GLibActor struct ToolCallTests {
  private let wire: Wire

  init() async throws {
    wire = try await Wire()
  }

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

  @Test func severalLinesCallSeveralTools() async throws {
    let text = "use weather {\"city\":\"Oslo\"}\nuse clock\n"
    let answer = try await wire.respond(Body.request([Body.user(text)], tools))
    let calls = answer.events.items
    #expect(calls.compactMap { $0["name"]?.stringValue } == ["weather", "clock"])
    #expect(calls.compactMap { $0["arguments"]?.stringValue } == [#"{"city":"Oslo"}"#, "{}"])
    let ids = calls.compactMap { $0["call_id"]?.stringValue }
    #expect(Set(ids).count == 2)

    let outputs = zip(ids, ["rain", "noon"]).map { Body.output(of: $0, $1) }
    let next = try await wire.respond(Body.request([Body.user(text)] + calls + outputs.reversed(), tools))
    #expect(next.events.text == "The tool clock said: noon\nThe tool weather said: rain")

    let oneByOne = tools.merging(["parallel_tool_calls": false]) { $1 }
    #expect(try await wire.respond(Body.request([Body.user(text)], oneByOne)).events.items.count == 1)
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
    #expect(call.type == "custom_tool_call")
    #expect(call["input"] == "text(1 + 1)")
    #expect(call["namespace"] == "functions")
    #expect(call["arguments"] == nil)
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

  /// The rules for tools also apply to the tools of a group.
  @Test func acceptsToolsInGroups() async throws {
    let group = { (tool: ChappieJSONValue) -> [String: ChappieJSONValue] in
      ["tools": [["type": "namespace", "name": "functions", "tools": [tool]]]]
    }
    #expect(try await wire.respond(Body.request([Body.user("Hello")], group(Body.tool("clock")))).status == 200)
    #expect(try await wire.respond(Body.request([Body.user("Hello")], group(Body.tool("two words")))).status == 400)
  }
}

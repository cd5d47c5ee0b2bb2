// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Answers that are more than one message: several messages, refusals, calls of tools without a handler.
@Suite(.worlds) @GLibActor
struct AnswerShapeTests {
  private static let end = #"{"type":"response.completed","response":{"id":"resp_1"}}"#

  private func answer(_ world: World, with events: [String], times: String = "1") async throws {
    let all = [#"{"type":"response.created","response":{"id":"resp_1"}}"#] + events + [Self.end]
    try await world.sandbox.play(
      "[{\"endpoint\":\"responses\",\"events\":[\(all.joined(separator: ","))],\"times\":\(times)}]")
  }

  private static func delta(_ text: String) -> String {
    "{\"type\":\"response.output_text.delta\",\"delta\":\"\(text)\"}"
  }

  private static func message(_ text: String, phase: String) -> String {
    item(
      """
      {"type":"message","role":"assistant","phase":"\(phase)","content":[{"type":"output_text","text":"\(text)"}]}
      """)
  }

  private static func item(_ json: String) -> String {
    "{\"type\":\"response.output_item.done\",\"item\":\(json)}"
  }

  /// The refusal arrives in deltas, or only as a whole message.
  @Test(arguments: World.Plan.Transport.allCases)
  func messagesAreParagraphs(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport), each: [true, false]) { world, caller, hasDeltas in
      let events = [
        Self.delta("I will look "), Self.delta("that up."), Self.message("I will look that up.", phase: "commentary"),
        Self.delta("It is "), Self.delta("42."), Self.message("It is 42.", phase: "final_answer"),
      ].filter { hasDeltas || !$0.contains("delta") }
      try await answer(world, with: events, times: "2")
      let client = try await caller.open("Client")
      let turn = try await caller.stream("What is it?", at: client)
      #expect(try await turn.end().answer.text == "I will look that up.\n\nIt is 42.")
      var offset = 0
      for delta in try turn.deltas {
        #expect(delta.offset == offset)
        offset += delta.text.utf8.count
      }
      #expect(try turn.deltas.map(\.text).joined() == "I will look that up.\n\nIt is 42.")
      #expect(try await caller.send("again", at: client) == "I will look that up.\n\nIt is 42.")
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aRefusalIsTheAnswersText(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport), each: [true, false]) { world, caller, hasDeltas in
      let client = try await caller.open("Client")
      let text = "I cannot help with that."
      let whole = Self.item(
        #"{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"\#(text)"}]}"#)
      let deltas = [#"{"type":"response.refusal.delta","delta":"I cannot "}"#]
      try await answer(world, with: (hasDeltas ? deltas : []) + [whole], times: "2")
      let turn = try await caller.stream("Do harm", at: client)
      let (answer, details) = try await turn.end().answer
      #expect(answer == text)
      #expect(try details.value("refusal") == true)
      #expect(try turn.deltas.map(\.text).joined() == text)
      let seen = try await turn.snapshot()
      #expect(try seen.details.value("refusal") == true)
      // The exit status reports it to a script.
      let asked = try await world.chappie("ask", "Do harm")
      #expect(asked.text == "\(text)\n" && asked.status == 11)
      // It does not affect the next turn, and an answer is no refusal.
      let next = try await caller.stream("Do good", at: client).end().answer
      #expect(next.text.contains("3 messages"))
      #expect(next.details["refusal"] == nil)
    }
  }

  private static let customCall = item(
    #"{"type":"custom_tool_call","call_id":"call_7","name":"apply_patch","input":"*** Begin"}"#)
  private static let shellCall = item(
    #"{"type":"local_shell_call","call_id":"call_8","status":"completed","action":{"type":"exec","command":["ls"]}}"#)

  @Test func callsWithoutAHandler() async throws {
    try await World.signedIn(each: transports) { world, caller, transport in
      let client = try await caller.open("Client", transport)
      // A turn has at most sixteen rounds.
      try await answer(world, with: [Self.customCall], times: "16")
      let text = try await caller.send("Patch it", at: client)
      #expect(text.hasPrefix("The tool apply_patch said: There is no such tool here"))
      #expect(try await world.sandbox.state().requests["responses"] == 17)
      #expect(try await caller.send("and now", at: client).contains("and now"))
      try await answer(world, with: [Self.customCall], times: "\"always\"")
      let endless = try await caller.stream("Patch it", at: client)
      let loop = try await endless.end().failure
      #expect(loop.name == "ToolLoopLimitExceeded")
      #expect(try loop.details.value("limit", as: UInt32.self) == 16)
      #expect(endless.endCount == 1)

      // A call of an unknown kind is ignored.
      let other = try await caller.open("Client", transport)
      try await answer(world, with: [Self.message("Let me see.", phase: "commentary"), Self.shellCall])
      #expect(try await caller.send("List it", at: other) == "Let me see.")
      #expect(try await caller.send("and now", at: other).contains("3 messages"))
      #expect(
        try await world.sandbox.state().lastResponsesRequest.body?.input.contains { $0.callId == "call_8" } == false)

      // Without any text, it is no answer.
      let third = try await caller.open("Client", transport)
      try await answer(world, with: [Self.shellCall])
      let failure = try await caller.stream("List it", at: third).end().failure
      #expect(failure.name == "MissingToolHandler")
      #expect(failure.details.text("tool") == "local_shell_call")
      #expect(try await caller.send("and now", at: third).contains("1 message."))
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// Tools that need approval, tools that are denied, and those that a receiver of the signals answers.
@Suite(.worlds) @GLibActor
struct ApprovalTests {
  @Test func anApprovedCallRuns() async throws {
    let (_, caller) = try await World.signedIn()
    let handler = try ToolHandler(caller) { _ in "done" }
    try await caller.register([Tools.named("delete", policy: "ask")], ToolHandler.path)
    let turn = try await caller.stream("use delete")
    let call = try await turn.approvalRequest()
    let request = try #require(turn.signals("ApprovalRequested").first)
    #expect(try request.arguments.member(2, "name") == "delete")
    #expect(try request.arguments.member(3, "arguments") == "{}")
    #expect(try turn.requestedCalls.map(\.policy) == ["ask"])
    #expect(try turn.requestedCalls.map(\.id) == [call])
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    #expect(handler.calls.isEmpty)
    try await caller.resolve(call, of: turn, true)
    #expect(try await turn.end().answer.text == "The tool delete said: done")
    #expect(handler.calls.count == 1)
    // The approval was for this call only.
    let again = try await caller.stream("use delete")
    try await caller.resolve(try await again.approvalRequest(), of: again, false, reason: "not today")
    let reply = "The user did not allow this call: not today"
    #expect(try await again.end().answer.text == "The tool delete said: \(reply)")
    #expect(try again.endedCalls.map(\.status) == ["denied"])
    #expect(try again.endedCalls.map(\.output) == [reply])
    #expect(handler.calls.count == 1)
  }

  /// An approval names a call by its id alone: in one answer, and in a later one of the same turn.
  @Test(arguments: [
    (#"{"name":"t","call_id":"c"},{"name":"t","call_id":"c"}"#, 1), (#"{"name":"t","call_id":"c"}"#, 2),
  ])
  func noIDComesTwice(_ calls: String, _ times: Int) async throws {
    let (world, caller) = try await World.signedIn()
    let handler = try ToolHandler(caller) { _ in "done" }
    try await caller.register([Tools.named("t", policy: times == 1 ? "ask" : "automatic")], ToolHandler.path)
    try await world.sandbox.play(#"[{"endpoint":"responses","tool_calls":[\#(calls)],"times":\#(times)}]"#)
    try await expectRefusal("HTTPError", saying: "id that cannot be used") { try await caller.send("go") }
    #expect(handler.calls.count == times - 1)
    #expect(caller.signals("ApprovalRequested").isEmpty)
  }

  @Test func theFirstAnswerCounts() async throws {
    let (world, caller) = try await World.signedIn()
    let other = try await world.caller()
    let gate = Wait()
    let handler = try ToolHandler(caller) { _ in
      await gate.value()
      return "done"
    }
    try await caller.register([Tools.named("delete", policy: "ask")], ToolHandler.path)
    let turn = try await caller.stream("use delete")
    let call = try await turn.approvalRequest()
    try await expectRefusal("NoSuchTurn") { try await other.resolve(call, of: turn, true) }
    try await expectRefusal("InvalidArgument") { try await caller.resolve("call_unknown", of: turn, true) }
    try await caller.resolve(call, of: turn, true)
    try await expectRefusal("InvalidArgument") { try await caller.resolve(call, of: turn, false) }
    try await handler.waitForCalls(1)
    #expect(try await turn.snapshot().status == "waiting-for-tool")
    try await expectRefusal("InvalidArgument") { try await caller.resolve(call, of: turn, false) }
    gate.finish()
    #expect(try await turn.end().answer.text == "The tool delete said: done")
    try await expectRefusal("InvalidArgument") { try await caller.resolve(call, of: turn, true) }
  }

  /// Each call of an answer is approved separately, in any order.
  @Test func callsOfOneAnswerAreApprovedOneByOne() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offerPlainModel()
    let handler = try ToolHandler(caller) { call in "did \(call.tool)" }
    let tools = [
      Tools.named("delete", policy: "ask"), Tools.named("move", policy: "ask"), Tools.named("look"),
      Tools.named("format", policy: "deny"),
    ]
    try await caller.register(tools, ToolHandler.path)
    let turn = try await caller.stream("use delete\nuse move\nuse look\nuse format")
    _ = try await turn.approvalRequest(2)
    try await handler.waitForCalls(1)
    try await eventually("four calls") { try turn.requestedCalls.count == 4 }
    let calls = try turn.requestedCalls
    #expect(calls.first { $0.tool == "format" }?.policy == "deny")
    #expect(turn.signals("ApprovalRequested").count == 2)
    try await caller.resolve(try #require(calls.first { $0.tool == "move" }).id, of: turn, true)
    try await handler.waitForCalls(2)
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    try await caller.resolve(try #require(calls.first { $0.tool == "delete" }).id, of: turn, false)
    _ = try await turn.end().answer
    #expect(handler.calls.map(\.tool) == ["look", "move"])
    #expect(
      try await world.sandbox.state().lastOutputs == [
        "The user did not allow this call.", "did move", "did look", "This tool is switched off here.",
      ])
  }

  // MARK: Results of a receiver of the signals

  /// A shell does it this way: each of its commands is a caller of its own.
  @Test func anyCallerMayApproveAndAnswerABroadcastTurn() async throws {
    let (world, watcher) = try await World.signedIn()
    var tool = Tools.weather
    tool.set("policy", "ask")
    var id = ""
    do {
      let leaves = try await Caller(world.directories.busAddress)
      let options: VariantDictionary = ["broadcast": true, "tools": [tool]]
      id = try await leaves.stream(#"use weather {"city":"Oslo"}"#, options).id
    }
    let turn = Turn(id: id, path: .chappie, caller: watcher)
    let call = try await turn.requestedCall()
    #expect(call.arguments == #"{"city":"Oslo"}"#)
    try await world.caller().resolve(try await turn.approvalRequest(), of: turn, true)
    try await turn.wait(for: "waiting-for-tool")
    try await world.caller().submit("7 °C", for: call.id, of: turn)
    #expect(try await turn.end().answer.text == "The tool weather said: 7 °C")
    #expect(try turn.endedCalls.map(\.status) == ["completed"])
  }

  @Test func aCallerMayAnswerItsOwnTurn() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offerPlainModel()
    let other = try await world.caller()
    try await caller.register([Tools.named("clock")])
    let turn = try await caller.stream("use clock\nuse clock")
    let calls = [try await turn.requestedCall(1), try await turn.requestedCall(2)]
    try await expectRefusal("NoSuchTurn") { try await other.submit("12:30", for: calls[0].id, of: turn) }
    try await caller.submit("second", for: calls[1].id, of: turn)
    try await expectRefusal("InvalidArgument") { try await caller.submit("third", for: calls[1].id, of: turn) }
    try await caller.submit("no battery", for: calls[0].id, of: turn, ["status": "failed"])
    #expect(try await turn.end().answer.text == "The tool clock said: no battery\nThe tool clock said: second")
    #expect(try turn.endedCalls.first { $0.id == calls[0].id }?.status == "failed")
    #expect(try turn.endedCalls.first { $0.id == calls[1].id }?.status == "completed")
    #expect(other.signals("ToolCallRequested").isEmpty)
    try await expectRefusal("InvalidArgument", saying: calls[0].id) {
      try await caller.submit("late", for: calls[0].id, of: turn)
    }

    // Only a handler object answers its calls.
    let gate = Wait()
    let handler = try ToolHandler(caller) { _ in
      await gate.value()
      return "from the handler"
    }
    try await caller.register([Tools.named("look")], ToolHandler.path)
    let handled = try await caller.stream("use look")
    try await handler.waitForCalls(1)
    let call = try await handled.requestedCall().id
    try await expectRefusal("InvalidArgument") { try await caller.submit("from nobody", for: call, of: handled) }
    gate.finish()
    #expect(try await handled.end().answer.text == "The tool look said: from the handler")
  }

  @Test func anInvalidResultIsRefused() async throws {
    let (world, caller) = try await World.signedIn()
    try await caller.register([Tools.named("clock")])
    let turn = try await caller.stream("use clock")
    let call = try await turn.requestedCall().id
    let wrongType: VariantDictionary = ["status": UInt32(1)]
    let cases: [(name: String, () async throws -> Void)] = [
      ("InvalidArgument", { try await caller.submit("x", for: "call_unknown", of: turn) }),
      ("InvalidArgument", { try await caller.submit("x", for: call, of: turn, ["status": "denied"]) }),
      ("InvalidArgument", { try await caller.submit("x", for: call, of: turn, wrongType) }),
      (
        "LimitExceeded",
        { try await caller.submit(String(repeating: "x", count: 4 << 20 + 1), for: call, of: turn) }
      ),
      (
        "NoSuchTurn",
        { try await caller.submit("x", for: call, of: Turn(id: "turn-0", path: .chappie, caller: caller)) }
      ),
    ]
    for (name, submit) in cases { #expect(try await refusal(of: submit).name == name) }
    #expect(try await turn.snapshot().status == "waiting-for-tool")
    // The call is still open after each of them.
    try await caller.submit(String(repeating: "x", count: 300 << 10), for: call, of: turn)
    _ = try await turn.end().answer
    let cut = String(repeating: "x", count: 256 << 10) + "\n[cut here: the output had 307200 bytes]"
    #expect(try turn.endedCalls.map(\.output) == [cut])
    #expect(try await world.sandbox.state().lastOutputs == [cut])
  }
}

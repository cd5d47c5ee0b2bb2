// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Turns that are cancelled while they wait for a tool or for an approval.
@Suite(.worlds) @GLibActor
struct ToolCancellationTests {
  /// Expects that the turn ended once, as cancelled, after signals for the end of each call.
  private func expectCancelled(_ turn: Turn, calls: Int) async throws {
    #expect(try await turn.end().failure.name == "Cancelled")
    try await turn.caller.catchUp()
    #expect(turn.endCount == 1)
    #expect(try turn.endedCalls.map(\.status) == Array(repeating: "cancelled", count: calls))
    let members = turn.caller.signals.filter { (try? $0.turn) == turn.id }.map(\.member)
    #expect(members.last == "Failed")
    let seen = try await turn.snapshot()
    #expect(seen.status == "cancelled")
    #expect(seen.details.text("error") == "org.chappie.Error.Cancelled")
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aTurnIsCancelledDuringATool(_ transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport)) { world, caller in
      let gate = Wait()
      let handler = try ToolHandler(caller) { _ in
        await gate.value()
        return "too late"
      }
      try await caller.register([Tools.named("look"), Tools.named("listen")], ToolHandler.path)
      try await world.sandbox.callTools(#"[{"name":"look"},{"name":"listen"}]"#, saying: "Let me see.")
      let turn = try await caller.stream("go")
      try await handler.waitForCalls(2)
      #expect(try await turn.snapshot().status == "waiting-for-tool")
      try await turn.cancel()
      try await expectCancelled(turn, calls: 2)
      #expect(try await turn.snapshot().text == "Let me see.")
      #expect(try await turn.snapshot().details.text("partial_text") == "Let me see.")
      // A late result changes nothing.
      gate.finish()
      try await caller.catchUp()
      #expect(turn.endCount == 1)
      #expect(try await world.sandbox.state().requests["responses"] == 1)
      #expect(try await caller.send("again").contains("again"))
    }
  }

  @Test func aTurnIsCancelledDuringAnApproval() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.offerPlainModel()
      let handler = try ToolHandler(caller) { _ in "done" }
      try await caller.register([Tools.named("delete", policy: "ask")], ToolHandler.path)
      let turn = try await caller.stream("use delete\nuse delete")
      let call = try await turn.approvalRequest(2)
      #expect(try await turn.snapshot().status == "waiting-for-approval")
      try await turn.cancel()
      try await expectCancelled(turn, calls: 2)
      try await expectRefusal("InvalidArgument") { try await caller.resolve(call, of: turn, true) }
      #expect(handler.calls.isEmpty)

      // A call that no handler answers.
      try await caller.register([Tools.named("look")])
      let unanswered = try await caller.stream("use look")
      let pending = try await unanswered.requestedCall().id
      try await unanswered.cancel()
      try await expectCancelled(unanswered, calls: 1)
      try await expectRefusal("InvalidArgument") { try await caller.submit("late", for: pending, of: unanswered) }

      // The end of the service.
      let last = try await caller.stream("use look")
      _ = try await last.requestedCall()
      await world.service.end()
      let failed = try await caller.signal("Failed") { try $0.turn == last.id }
      #expect(try failed.arguments.member(1, "error") == "org.chappie.Error.Cancelled")
      #expect(last.endCount == 1)
    }
  }
}

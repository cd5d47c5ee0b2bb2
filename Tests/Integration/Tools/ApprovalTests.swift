// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Tools that need approval, and tools that are denied.
@Suite(.worlds) @GLibActor
struct ApprovalTests {
  @Test func anApprovedCallRuns() async throws {
    try await World.signedIn { _, caller in
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
  }

  @Test func theFirstAnswerCounts() async throws {
    try await World.signedIn { world, caller in
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
  }

  /// Each call of an answer is approved separately, in any order.
  @Test func callsOfOneAnswerAreApprovedOneByOne() async throws {
    try await World.signedIn { world, caller in
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
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Tools that need approval, and tools that are denied.
@Suite(.worlds) @GLibActor
struct ApprovalTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func anApprovedCallRuns(_ transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport)) { _, caller in
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
      try await caller.resolve(try await again.approvalRequest(), of: again, false)
      _ = try await again.end().answer
      #expect(handler.calls.count == 1)
    }
  }

  @Test(arguments: ["", "not today"])
  func aDeniedCallDoesNotRun(_ reason: String) async throws {
    try await World.signedIn { _, caller in
      let handler = try ToolHandler(caller) { _ in "done" }
      try await caller.register([Tools.named("delete", policy: "ask")], ToolHandler.path)
      let turn = try await caller.stream("use delete")
      try await caller.resolve(try await turn.approvalRequest(), of: turn, false, reason: reason)
      let reply = "The user did not allow this call\(reason.isEmpty ? "." : ": \(reason)")"
      #expect(try await turn.end().answer.text == "The tool delete said: \(reply)")
      #expect(try turn.endedCalls.map(\.status) == ["denied"])
      #expect(try turn.endedCalls.map(\.output) == [reply])
      #expect(handler.calls.isEmpty)
    }
  }

  @Test func aDeniedToolIsNotOffered() async throws {
    try await World.signedIn { _, caller in
      let handler = try ToolHandler(caller) { _ in "done" }
      try await caller.register([Tools.named("delete", policy: "deny")], ToolHandler.path)
      let turn = try await caller.stream("use delete")
      #expect(try await turn.end().answer.text == "The tool delete said: This tool is switched off here.")
      #expect(try turn.requestedCalls.map(\.policy) == ["deny"])
      #expect(try turn.endedCalls.map(\.status) == ["denied"])
      #expect(turn.signals("ApprovalRequested").isEmpty)
      #expect(handler.calls.isEmpty)
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

  @Test func anyCallerMayApproveInABroadcastTurn() async throws {
    try await World.signedIn { world, caller in
      let options: VariantDictionary = ["broadcast": true, "tools": [Tools.named("delete", policy: "ask")]]
      let turn = try await caller.stream("use delete", options)
      let call = try await turn.approvalRequest()
      let other = try await world.caller()
      try await other.resolve(call, of: turn, true)
      try await turn.wait(for: "waiting-for-tool")
      try await other.submit("done", for: call, of: turn)
      #expect(try await turn.end().answer.text == "The tool delete said: done")
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

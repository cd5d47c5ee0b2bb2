// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Tools that a receiver of the signals answers with `SubmitToolResult`.
@Suite(.worlds) @GLibActor
struct SubmittedResultTests {
  /// A shell does it this way: each of its commands is a caller of its own.
  @Test func anyCallerMayApproveAndAnswerABroadcastTurn() async throws {
    try await World.signedIn { world, watcher in
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
      #expect(turn.endCount == 1)
    }
  }

  @Test func aCallerMayAnswerItsOwnTurn() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.offerPlainModel()
      let other = try await world.caller()
      try await caller.register([Tools.named("clock")])
      let turn = try await caller.stream("use clock\nuse clock")
      let calls = [try await turn.requestedCall(1), try await turn.requestedCall(2)]
      let refused = try await refusal { try await other.submit("12:30", for: calls[0].id, of: turn) }
      #expect(refused.name == "NoSuchTurn")
      try await caller.submit("second", for: calls[1].id, of: turn)
      try await expectRefusal("InvalidArgument") { try await caller.submit("third", for: calls[1].id, of: turn) }
      try await caller.submit("no battery", for: calls[0].id, of: turn, ["status": "failed"])
      #expect(try await turn.end().answer.text == "The tool clock said: no battery\nThe tool clock said: second")
      #expect(try turn.endedCalls.first { $0.id == calls[0].id }?.status == "failed")
      #expect(try turn.endedCalls.first { $0.id == calls[1].id }?.status == "completed")
      #expect(other.signals("ToolCallRequested").isEmpty)
      let late = try await refusal { try await caller.submit("late", for: calls[0].id, of: turn) }
      #expect(late.name == "InvalidArgument")
      #expect(late.message.contains(calls[0].id))

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
  }

  @Test func anInvalidResultIsRefused() async throws {
    try await World.signedIn { _, caller in
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
      #expect(try turn.endedCalls.first?.output.hasSuffix("[cut here: the output had 307200 bytes]") == true)
    }
  }
}

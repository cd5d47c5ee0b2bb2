// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Running and ended turns.
@Suite(.worlds) @GLibActor
struct RunningTurnTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func getTurnReturnsTheMissedText(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      try await world.sandbox.stall(times: "1")
      let turn = try await caller.stalledTurn()
      let running = try await turn.snapshot()
      #expect(running.status == "running")
      #expect(running.text == Sandbox.stalledText)
      #expect(running.details.isEmpty)
      try await turn.cancel()
      _ = try await turn.end()

      let done = try await caller.stream("hi")
      let (text, details) = try await done.end().answer
      let seen = try await done.snapshot()
      #expect(seen.status == "completed")
      #expect(seen.text == text)
      #expect(seen.details == details)
    }
  }

  /// A caller learns the turn's id before the first signal that has it.
  @Test(arguments: [false, true])
  func theReplyPrecedesTheSignalsOfItsTurn(broadcast: Bool) async throws {
    try await World.signedIn { world, caller in
      let capture = try await BusCapture(world.directories)
      for number in 0..<10 {
        async let one = caller.stream("\(number)", ["broadcast": broadcast.variant])
        async let other = caller.stream("\(number)", ["broadcast": broadcast.variant])
        for turn in try await [one, other] { _ = try await turn.end() }
      }
      try await capture.end()
      let messages = try capture.messages()
      let ids = Set(caller.signals("Completed").compactMap { try? $0.arguments.member(0, "turn", as: String.self) })
      #expect(ids.count == 20)
      for id in ids {
        let ofTurn = messages.filter {
          $0.contains(id) && ($0.type == BusCapture.Message.reply || $0.contains("org.chappie.Client"))
            && !$0.contains("PropertiesChanged")
        }
        #expect(ofTurn.first?.type == BusCapture.Message.reply)
        #expect(ofTurn.last?.type == BusCapture.Message.signal)
      }
    }
  }

  /// Without a sign-in a turn fails before anything has to be waited for.
  @Test func theReplyPrecedesAnEarlyFailure() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let capture = try await BusCapture(world.directories)
      for number in 0..<20 { _ = try await caller.stream("hello", ["turn": "early-\(number)"]).end() }
      try await capture.end()
      let messages = try capture.messages()
      for number in 0..<20 {
        // The name is also in the call, and with a length before it in every string.
        let ofTurn = messages.filter {
          $0.contains("early-\(number)\0") && $0.type != BusCapture.Message.call && !$0.contains("PropertiesChanged")
        }
        #expect(ofTurn.map(\.type) == [BusCapture.Message.reply, BusCapture.Message.signal])
      }
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func theLastThirtyTwoTurnsAreKept(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { _, caller in
      var turns: [Turn] = []
      for number in 0..<33 {
        turns.append(try await caller.stream("\(number)"))
        _ = try await turns[number].end()
      }
      try await expectRefusal("NoSuchTurn") { try await turns[0].snapshot() }
      #expect(try await turns[1].snapshot().text.contains("“1”"))
      #expect(Set(turns.map(\.id)).count == 33)
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func activeTurnsAreListed(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      #expect(try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty)
      try await world.sandbox.stall()
      let turn = try await caller.stalledTurn()
      #expect(try await caller.property("Client.ActiveTurns", as: [String].self) == [turn.id])
      try await turn.cancel()
      _ = try await turn.end()
      try await eventually("no turn") { try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty }
      let changes = caller.signals("PropertiesChanged").map { "\($0.arguments)" }.filter { $0.contains("ActiveTurns") }
      #expect(changes.count == 2)
      #expect(changes.first?.contains(turn.id) == true)
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aCancelledTurnEndsOnce(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      try await world.sandbox.stall()
      let turn = try await caller.stalledTurn()
      try await turn.cancel()
      try? await turn.cancel()
      let failure = try await turn.end().failure
      #expect(failure.name == "Cancelled")
      #expect(failure.details.text("partial_text") == Sandbox.stalledText)
      #expect(turn.endCount == 1)
      let seen = try await turn.snapshot()
      #expect(seen.status == "cancelled")
      #expect(seen.text == Sandbox.stalledText)
      #expect(seen.details.text("error") == "org.chappie.Error.Cancelled")
      #expect(seen.details.text("message") == failure.message)
      try await eventually("the stand-in's streams to be closed") { try await world.sandbox.state().openStreams == 0 }
      // An ended turn does not change.
      try await turn.cancel()
      try await caller.catchUp()
      #expect(turn.endCount == 1)
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aTurnCanBeCancelledBeforeItsAnswerBegins(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      try await world.sandbox.play(#"[{"endpoint":"responses","hang":true}]"#)
      let turn = try await caller.stream("hi")
      try await turn.cancel()
      let failure = try await turn.end().failure
      #expect(failure.name == "Cancelled")
      #expect(failure.details["partial_text"] == nil)
      #expect(turn.endCount == 1)
    }
  }
}

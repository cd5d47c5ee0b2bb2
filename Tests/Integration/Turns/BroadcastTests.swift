import GLibBridge
import Testing

/// Who hears a turn: the caller alone, or everybody when the caller wants it so.
@Suite(.worlds) @GLibActor
struct BroadcastTests {
  private let signals = ["TextDelta", "Completed", "Failed"]

  @Test func aTurnIsForItsCallerAlone() async throws {
    try await World.with { world in
      let listener = try await world.caller()
      let caller = try await world.signedInCaller()
      let turn = try await caller.stream("a secret")
      _ = try await turn.end()
      try await world.sandbox.stall(times: "1")
      let failing = try await caller.stalledTurn()
      try await failing.cancel()
      _ = try await failing.end()
      try await listener.catchUp()
      for signal in signals { #expect(listener.signals(signal).isEmpty) }
      #expect(!listener.signals.contains { "\($0.arguments)".contains("a secret") })
    }
  }

  @Test func aBroadcastReachesEverybodyOnce() async throws {
    try await World.with { world in
      let listener = try await world.caller()
      let caller = try await world.signedInCaller()
      let turn = try await caller.stream("hear hear", ["broadcast": true])
      let (text, details) = try await turn.end().answer
      try await listener.catchUp()
      for hearer in [caller, listener] {
        let heard = Turn(id: turn.id, path: .chappie, caller: hearer)
        #expect(try heard.deltas.map(\.text).joined() == text)
        #expect(try heard.deltas.first?.offset == 0)
        #expect(heard.endCount == 1)
        #expect(try await heard.end().answer.details == details)
      }
    }
  }

  @Test func aFailureIsBroadcastOnce() async throws {
    try await World.with { world in
      let listener = try await world.caller()
      let caller = try await world.signedInCaller()
      try await world.sandbox.play(#"[{"endpoint":"responses","status":500}]"#)
      let turn = try await caller.stream("hi", ["broadcast": true])
      #expect(try await turn.end().failure.name == "HTTPError")
      try await listener.catchUp()
      #expect(caller.signals("Failed").count == 1)
      #expect(listener.signals("Failed").count == 1)
    }
  }

  /// `Send` replies, and everybody can listen.
  @Test func sendCanBeBroadcast() async throws {
    try await World.with { world in
      let listener = try await world.caller()
      let caller = try await world.signedInCaller()
      let answer = try await caller.send("aloud", ["broadcast": true])
      let completed = try await listener.signal("Completed")
      #expect(try completed.arguments.member(1, "text") == answer)
      let failing = [
        #"[{"endpoint":"responses","status":500}]"#: "HTTPError",
        #"[{"endpoint":"responses","drop_after":1}]"#: "Network",
      ]
      for (scenario, error) in failing {
        try await world.sandbox.play(scenario)
        #expect(try await refusal { try await caller.send("aloud", ["broadcast": true]) }.name == error)
      }
      try await listener.catchUp()
      #expect(listener.signals("Completed").count == 1)
      #expect(listener.signals("Failed").count == 2)
    }
  }

  @Test func everybodyMayAskForABroadcastAndCancelIt() async throws {
    try await World.with { world in
      let listener = try await world.caller()
      let caller = try await world.signedInCaller()
      try await world.sandbox.stall()
      let turn = try await caller.stalledTurn(["broadcast": true])
      #expect(try await turn.seen(by: listener).text == Sandbox.stalledText)
      try await Turn(id: turn.id, path: .chappie, caller: listener).cancel()
      #expect(try await turn.end().failure.name == "Cancelled")
      #expect(try await turn.seen(by: listener).status == "cancelled")
    }
  }

  @Test func aBroadcastOutlivesItsCaller() async throws {
    try await World.with { world in
      let listener = try await world.signedInCaller()
      try await world.sandbox.play(#"[{"endpoint":"responses","delta_delay_ms":20,"text":"one two three four"}]"#)
      var id = ""
      do {
        let caller = try await Caller(world.directories.busAddress)
        id = try await caller.stream("hi", ["broadcast": true]).id
      }
      let turn = Turn(id: id, path: .chappie, caller: listener)
      #expect(try await turn.end().answer.text == "one two three four")
      #expect(turn.endCount == 1)
    }
  }
}

import GLibBridge
import Testing

/// How much one caller may have.
@Suite(.worlds) @GLibActor
struct LimitTests {
  @Test func fourMebibytesAreAllowedAndNoMore() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      let most = String(repeating: "x", count: 4 << 20)
      #expect(try await caller.send(most).contains("1 message."))
      let tooMuch = try await refusal { try await caller.send(most + "x") }
      #expect(tooMuch.name == "LimitExceeded")
      #expect(tooMuch.message.contains("\(4 << 20)"))
      #expect(try await refusal { try await caller.stream(most + "x") }.name == "LimitExceeded")
      // The texts of a call count together, in bytes.
      let half = String(repeating: "ü", count: 1 << 20)
      let messages = [Message("user", half), Message("assistant", half), Message("user", "x")]
      let together = try await refusal { try await caller.call("Client.Respond", messages, VariantDictionary()) }
      #expect(together.name == "LimitExceeded")
      #expect(try await caller.send("still here").contains("still here"))
    }
  }

  @Test func sixtyFourObjectsCanBeOpen() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      var opened = [try await caller.open("Session", ["keychain_account": "work"])]
      for _ in 1..<64 { opened.append(try await caller.open("Client")) }
      #expect(Set(opened).count == 64)
      for kind in ["Session", "Client"] {
        let refused = try await refusal { try await caller.open(kind) }
        #expect(refused.name == "LimitExceeded")
        #expect(refused.message.contains("64"))
      }
      // Others are not concerned, and closing makes room.
      _ = try await world.caller().open("Client")
      try await caller.call("Manager.Close", opened[7])
      _ = try await caller.open("Client")
    }
  }

  @Test func sixtyFourTurnsCanRun() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      try await world.sandbox.play(#"[{"endpoint":"responses","hang":true,"times":"always"}]"#)
      var turns: [Turn] = []
      for _ in 0..<64 { turns.append(try await caller.stream("hi")) }
      #expect(try await refusal { try await caller.stream("hi") }.name == "LimitExceeded")
      #expect(try await refusal { try await caller.send("hi") }.name == "LimitExceeded")
      try await eventually("64 requests") { try await world.sandbox.state().requests["responses"] == 64 }
      try await world.sandbox.play("[]")
      #expect(try await world.caller().send("from another").contains("from another"))
      for turn in turns { try await turn.cancel() }
      for turn in turns { #expect(try await turn.end().failure.name == "Cancelled") }
      #expect(try await caller.send("again").contains("again"))
    }
  }
}

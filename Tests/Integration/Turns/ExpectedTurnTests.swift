// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Testing

/// What is prepared when a caller shows that a turn comes.
@Suite(.worlds) @GLibActor
struct ExpectedTurnTests {
  /// The first turn of a service finds its connection open and its model known.
  @Test func anOpenedTurnPreparesItsConnection() async throws {
    try await World.signedIn { world, caller in
      let line = try await caller.openTurn()
      try await eventually("a connection") {
        let state = try await world.sandbox.state()
        return state.openSockets == 1 && state.requests["models"] == 1
      }
      line.write(["text": "hello"])
      #expect(try await line.end().name == "completed")
      #expect(try await world.sandbox.state().requests["handshake"] == 1)
    }
  }

  /// The preparation is the first to read the credential.
  @Test func theFirstTurnOfAProcessIsPrepared() async throws {
    try await World.signedIn { world, caller in
      _ = try await caller.send("warm up")
      try await world.service.restart()
      let line = try await caller.openTurn()
      try await eventually("a connection") { try await world.sandbox.state().openSockets == 1 }
      line.write(["text": "hello"])
      #expect(try await line.end().name == "completed")
      #expect(try await world.sandbox.state().requests["handshake"] == 2)
    }
  }

  @Test func manyOpenedTurnsPrepareOneConnection() async throws {
    try await World.signedIn { world, caller in
      for _ in 0..<50 { try await caller.openTurn().socket.close() }
      for _ in 0..<2 { #expect(try await caller.ask("hello").end().name == "completed") }
      #expect(try await world.sandbox.state().requests["handshake"] == 1)
    }
  }

  /// The turn itself reports what is wrong.
  @Test func aFailedPreparationDoesNotCount() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":500}]"#)
      let line = try await caller.openTurn()
      try await eventually("a refusal") { try await world.sandbox.state().requests["handshake"] == 1 }
      line.write(["text": "hello"])
      #expect(try await line.end().name == "completed")
    }
  }
}

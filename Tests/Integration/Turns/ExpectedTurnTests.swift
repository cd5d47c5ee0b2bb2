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
      for _ in 0..<50 { try await caller.openTurn().socket.close() }
      let line = try await caller.openTurn()
      try await eventually("a connection") {
        let state = try await world.sandbox.state()
        return state.openSockets == 1 && state.requests["models"] == 1
      }
      line.write(["text": "hello"])
      #expect(try await line.end().name == "completed")
      #expect(try await caller.ask("hello").end().name == "completed")
      #expect(try await world.sandbox.state().requests["handshake"] == 1)

      // The preparation is the first to read the credential.
      try await world.service.restart()
      let next = try await caller.openTurn()
      try await eventually("a connection") { try await world.sandbox.state().openSockets == 1 }
      next.write(["text": "hello"])
      #expect(try await next.end().name == "completed")
      #expect(try await world.sandbox.state().requests["handshake"] == 2)

      // A preparation that fails does not count: the turn itself reports what is wrong.
      try await world.service.restart()
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":500}]"#)
      let refused = try await caller.openTurn()
      try await eventually("a refusal") { try await world.sandbox.state().requests["handshake"] == 3 }
      refused.write(["text": "hello"])
      #expect(try await refused.end().name == "completed")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A refresh whose answer is lost, comes after its caller has left, or could not be stored.
@Suite(.worlds) @GLibActor
struct RefreshRuleTests {
  /// The server has rotated the token, and its answer was lost.
  @Test(arguments: [true, false])
  func aLostAnswerIsSurvivedIfTheServerAllowsReuse(grace: Bool) async throws {
    let plan = World.Plan(
      sandboxArguments: ["--auto-approve", "--rate", "0"] + (grace ? ["--refresh-grace"] : []))
    try await World.signedIn(plan) { world, caller in
      try await world.sandbox.expireAccessTokens()
      try await world.sandbox.play(#"[{"endpoint":"refresh","drop_after":0}]"#)
      try await expectRefusal("Network") { try await caller.send("hi") }
      #expect(try await caller.state() == "signed-in")
      if grace {
        #expect(try await caller.send("hi").contains("hi"))
      } else {
        try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
      }
    }
  }

  /// A service that is told to end waits for the server's answer and stores it.
  @Test func aRefreshCompletesBeforeTheServiceEnds() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.expireAccessTokens()
      try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":800}]"#)
      let turn = try await caller.stream("hi")
      try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
      try await world.service.restart()
      #expect(try await turn.end().failure.name == "Cancelled")
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }

  /// A cancelled turn ends, and its refresh goes on.
  @Test func aRefreshDoesNotDelayACancelledTurn() async throws {
    try await World.signedIn { world, caller in
      let before = try #require(try await world.keyring.credentials()["default"]).secret
      try await world.sandbox.expireAccessTokens()
      try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":5000}]"#)
      let turn = try await caller.stream("hi")
      try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
      try await turn.cancel()
      #expect(try await turn.end().failure.name == "Cancelled")
      #expect(try await world.keyring.credentials()["default"]?.secret == before, "the refresh has not ended")
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }

  /// The refreshed token could not be stored: the old one is used while it is valid.
  @Test func theOldTokenIsUsedUntilTheKeyringCanStore() async throws {
    try await World.with(.shortTokens) { world in
      let caller = try await world.caller()
      // The credential is readable while the keyring is locked.
      try await caller.signIn(.afterFirstUnlock)
      try await world.keyring.lock()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 0)
      try await world.keyring.unlock()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }
}

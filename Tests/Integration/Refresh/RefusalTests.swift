import GLibBridge
import Testing

/// A sign-in that its server refuses to renew is given up with the second refusal, ten minutes after the first one.
@Suite(.worlds, .enabled(if: ServiceProcess.mayShiftItsUptime)) @GLibActor
struct RefusalTests {
  private static let refusing = #"[{"endpoint":"refresh","status":400,"body":{"error":"invalid_grant"}}]"#

  /// Has a sign-in be refused for the first time, and gives the length of what was stored before.
  private func refuse(_ world: World, _ caller: Caller) async throws -> Int {
    let before = try #require(try await world.keyring.credentials()["default"]).secret.count
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(Self.refusing)
    try await expectRefusal(caller)
    // Sealed, so that only its length tells: what was refused, and when, came to it, and nothing has gone.
    #expect(try await length(world) > before)
    return before
  }

  private func length(_ world: World) async throws -> Int {
    try #require(try await world.keyring.credentials()["default"]).secret.count
  }

  private func expectRefusal(_ caller: Caller) async throws {
    #expect(try await refusal { try await caller.send("hi") }.name == "ReauthenticationRequired")
    #expect(try await caller.state() == "reauthentication-required")
    let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
    #expect(account.text("email") == "ada@example.com")
  }

  private func restart(_ world: World, after seconds: Int) async throws {
    world.service.extraUptime += seconds
    try await world.service.restart()
  }

  @Test func oneThatWasAMistakeEndsByItself() async throws {
    try await World.with { world in
      let server = try await NotificationServer(world)
      let caller = try await world.signedInCaller()
      _ = try await refuse(world, caller)
      // The server is left in peace by all: this process, another one, and the next one.
      try await expectRefusal(caller)
      let host = try world.startLibraryHost("hi")
      #expect(try await host.waitForEnd() == .exit(1))
      try await restart(world, after: 590)
      try await expectRefusal(caller)
      #expect(try await world.sandbox.state().requests["refresh"] == 1)

      try await restart(world, after: 20)
      #expect(try await caller.state() == "reauthentication-required")
      #expect(try await caller.send("back").contains("back"))
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().isEmpty)
      #expect(try await world.sandbox.state().requests["refresh"] == 2)
      try await server.waitUntilNothingIsShown()
    }
  }

  @Test func theSecondOneEndsTheSignIn() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      let before = try await refuse(world, caller)
      try await world.sandbox.revokeRefreshTokens()
      try await restart(world, after: 610)
      try await expectRefusal(caller)
      #expect(try await world.sandbox.state().requests["refresh"] == 2)
      // The token has left the keyring.
      #expect(try await length(world) < before)
      try await restart(world, after: 6000)
      try await expectRefusal(caller)
      #expect(try await world.sandbox.state().requests["refresh"] == 2)
      try await caller.signIn()
      #expect(try await caller.send("new").contains("new"))
    }
  }

  /// What passes, while the pause is over, is no second one.
  @Test func aFailureThatPassesIsNoRefusal() async throws {
    // The token whose answer gets lost is taken once more.
    let plan = World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--refresh-grace"])
    try await World.with(plan) { world in
      let caller = try await world.signedInCaller()
      _ = try await refuse(world, caller)
      try await restart(world, after: 610)
      for rule in [#""status":403,"raw":"<html>invalid_grant""#, #""status":503"#, #""drop_after":0"#] {
        try await world.sandbox.play("[{\"endpoint\":\"refresh\",\(rule)}]")
        let error = try await refusal { try await caller.send("hi") }
        #expect(["HTTPError", "Network"].contains(error.name), "\(error)")
        #expect(try await caller.state() == "reauthentication-required")
      }
      #expect(try await caller.send("back").contains("back"))
      #expect(try await caller.state() == "signed-in")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The second refusal of a refresh, at least ten minutes after the first, ends the sign-in.
@Suite(.worlds, .enabled(if: ServiceProcess.mayShiftItsUptime)) @GLibActor
struct RefusalTests {
  private static let refusing = #"[{"endpoint":"refresh","status":400,"body":{"error":"invalid_grant"}}]"#

  /// Makes the server refuse a refresh for the first time, and returns the length of the item stored then.
  private func refuse(_ world: World, _ caller: Caller) async throws -> Int {
    let before = try await length(world)
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(Self.refusing)
    try await expectReauthentication(caller)
    // The item is sealed, so only its length shows: the refusal, its reason and its time were added, and nothing was
    // removed.
    let refused = try await length(world)
    #expect(refused > before)
    return refused
  }

  private func length(_ world: World) async throws -> Int {
    try #require(try await world.keyring.credentials()["default"]).secret.count
  }

  private func expectReauthentication(_ caller: Caller) async throws {
    try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
    #expect(try await caller.state() == "reauthentication-required")
    #expect(try await caller.email() == "ada@example.com")
  }

  private func restart(_ world: World, after seconds: Int) async throws {
    world.service.extraUptime += seconds
    try await world.service.restart()
  }

  @Test func theSecondRefusalEndsTheSignIn() async throws {
    let (world, caller) = try await World.signedIn()
    let before = try await refuse(world, caller)
    try await world.sandbox.revokeRefreshTokens()
    try await restart(world, after: 610)
    try await expectReauthentication(caller)
    #expect(try await world.sandbox.state().requests["refresh"] == 2)
    // The token has left the keyring.
    #expect(try await length(world) < before)
    try await restart(world, after: 6000)
    try await expectReauthentication(caller)
    #expect(try await world.sandbox.state().requests["refresh"] == 2)
    try await caller.signIn()
    #expect(try await caller.send("new").contains("new"))
  }

  /// A transient failure after the ten minutes is no second refusal, and a mistaken first one resolves itself.
  @Test func aTransientFailureIsNoRefusal() async throws {
    // The server accepts once more a token after its answer got lost.
    let plan = World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--refresh-grace"])
    let world = try await World.begin(plan)
    let server = try await NotificationServer(world)
    let caller = try await world.signedInCaller()
    _ = try await refuse(world, caller)
    // No process asks the server again: not this one, not another one, and not the next one.
    try await expectReauthentication(caller)
    let host = try world.startLibraryHost("hi")
    #expect(try await host.waitForEnd() == .exit(1))
    try await restart(world, after: 540)
    try await expectReauthentication(caller)
    #expect(try await world.sandbox.state().requests["refresh"] == 1)

    try await restart(world, after: 70)
    for rule in [#""status":403,"raw":"<html>invalid_grant""#, #""status":503"#, #""drop_after":0"#] {
      try await world.sandbox.play("[{\"endpoint\":\"refresh\",\(rule)}]")
      let error = try await refusal { try await caller.send("hi") }
      #expect(["HTTPError", "Network"].contains(error.name), "\(error)")
      #expect(try await caller.state() == "reauthentication-required")
    }
    #expect(try await caller.send("back").contains("back"))
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.lastError().isEmpty)
    try await server.waitUntilNothingIsShown()
  }
}

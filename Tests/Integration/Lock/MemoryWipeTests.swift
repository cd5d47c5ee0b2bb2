// SPDX-License-Identifier: Apache-2.0

/// While no operation needs a token, the memory of the service holds none: not in a header, not on the stack, not in
/// freed memory.
@Suite(.worlds) @GLibActor
struct MemoryWipeTests {
  /// The search runs outside the actor, which other tests use.
  private func findings(in world: World) async throws -> [String] {
    guard let id = world.service.process?.id else { throw UnmetCondition("a service that runs") }
    return try await Task.detached { Leaks.findings(in: try ProcessMemory.parts(of: id)) }.value
  }

  /// The last task of a turn may hold a token, and may end after its answer has arrived.
  private func expectNoToken(in world: World, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    var found: [String] = []
    _ = try await holds {
      found = try await findings(in: world)
      return found.isEmpty
    }
    #expect(found == [], sourceLocation: sourceLocation)
  }

  /// A turn whose request runs until it is cancelled. Over HTTP the search must find its token; a WebSocket needs it for
  /// the handshake alone, and it may be gone already.
  private func turnUnderWay(
    _ world: World, _ caller: Caller, over transport: World.Plan.Transport
  ) async throws -> Turn {
    let before = try await world.sandbox.state().requests["responses"] ?? 0
    try await world.sandbox.play(#"[{"endpoint":"responses","hang":true}]"#)
    let turn = try await caller.stream("hi")
    try await eventually("the request") { try await world.sandbox.state().requests["responses"] ?? 0 > before }
    guard transport == .http else { return turn }
    #expect(try await !findings(in: world).isEmpty, "a search that finds nothing now finds nothing ever")
    return turn
  }

  // MARK: Locked and idle

  @Test(arguments: Accessibility.allCases, World.Plan.Transport.allCases)
  func aLockedScreenLeavesNoToken(_ accessibility: Accessibility, over transport: World.Plan.Transport) async throws {
    let (world, caller, saver) = try await World.withScreen(World.Plan(transport: transport), accessibility)
    try await expectNoToken(in: world)
    #expect(try await caller.send("hi").contains("hi"))
    _ = try await caller.stream("hi").end().answer
    try await world.sandbox.expireAccessTokens()
    #expect(try await caller.send("renewed").contains("renewed"))
    let turn = try await turnUnderWay(world, caller, over: transport)
    try await saver.lock(caller)
    try await turn.cancel()
    _ = try await turn.end().failure
    try await expectNoToken(in: world)

    // Requests that are refused while the screen is locked leave no token either.
    _ = try? await caller.send("locked")
    try await expectNoToken(in: world)
    try await world.service.restart()
    _ = try? await caller.send("locked")
    try await expectNoToken(in: world)
  }

  /// An idle service holds no token, even without a lock.
  @Test(arguments: Accessibility.allCases)
  func anIdleServiceHasNoToken(_ accessibility: Accessibility) async throws {
    let (world, caller, _) = try await World.withScreen(.shortTokens, accessibility)
    for _ in 0..<5 { #expect(try await caller.send("renewed").contains("renewed")) }
    let turns = try await [caller.stream("one"), caller.stream("two"), caller.stream("three")]
    for turn in turns { _ = try await turn.end().answer }
    // Sockets that are kept for the next turns keep no token.
    _ = try await caller.send("kept", ["continue": true])
    #expect(try await world.sandbox.state().openSockets > 0)
    try await expectNoToken(in: world)
    try await world.keyring.lock()
    _ = try? await caller.send("locked")
    try await expectNoToken(in: world)
  }

  /// The answer goes on, and its access token is dropped when it ends.
  @Test func theEndOfAnAnswerOrASignInLeavesNoToken() async throws {
    let (world, caller, saver) = try await World.withScreen()
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two three","delta_delay_ms":300}]"#)
    let turn = try await caller.stream("hi")
    try await caller.signal("TextDelta")
    try await saver.lock(caller)
    #expect(try await turn.end().answer.text == "one two three")
    try await expectNoToken(in: world)

    try await saver.unlock(caller)
    #expect(try await caller.send("hi").contains("hi"))
    try await caller.call("Session.SignOut")
    try await eventually("the revocation") { try await world.sandbox.state().requests["revoke"] == 1 }
    try await expectNoToken(in: world)
  }

  /// A turn needs the access token alone: while an answer runs, the refresh token is in no memory.
  @Test(arguments: zip(Accessibility.allCases, World.Plan.Transport.allCases))
  func aTurnKeepsNoRefreshToken(_ accessibility: Accessibility, over transport: World.Plan.Transport) async throws {
    let (world, caller, _) = try await World.withScreen(World.Plan(transport: transport), accessibility)
    let turn = try await turnUnderWay(world, caller, over: transport)
    let id = try #require(world.service.process?.id)
    let start = Data("rt-\(Leaks.marker)".utf8)
    func hasRefreshToken() async throws -> Bool {
      let parts = try await Task.detached { try ProcessMemory.parts(of: id) }.value
      return parts.values.contains { $0.contains(start) }
    }
    #expect(try await holds { try await !hasRefreshToken() })
    #expect(turn.endCount == 0)
    try await turn.cancel()
  }

  /// The server has rotated the token and the keyring cannot take it: the pending tokens stay sealed in memory.
  @Test func pendingTokensAreSealedUntilTheyAreStored() async throws {
    let (world, caller, saver) = try await World.withScreen()
    let before = try #require(try await world.keyring.credentials()["default"]).secret
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(#"[{"endpoint":"refresh","hold":true}]"#)
    async let refused = refusal { try await caller.send("hi") }
    try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
    try await world.keyring.lock()
    try await world.sandbox.release()
    #expect(try await refused.name == "Locked")
    #expect(try await caller.state() == "signed-in")
    try await expectNoToken(in: world)
    try await world.keyring.unlock()
    // No caller has to ask again.
    try await eventually("the new token in the keyring") {
      try await world.keyring.credentials()["default"]?.secret != before
    }
    try await world.service.crash()
    try await world.service.restart()
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().requests["refresh"] == 1)
    try await saver.lock(caller)
    try await expectNoToken(in: world)
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aFailureLeavesNoToken(over transport: World.Plan.Transport) async throws {
    let (world, caller, saver) = try await World.withScreen(World.Plan(transport: transport))
    let client = try await caller.open("Client", transport.impatient)
    let failures = [
      #"{"endpoint":"responses","status":500,"headers":{"retry-after":"0"},"times":"always"}"#,
      #"{"endpoint":"responses","status":401,"times":"always"}"#,
      #"{"endpoint":"responses","text":"one two three","drop_after":1}"#,
      #"{"endpoint":"responses","status":401},{"endpoint":"refresh","status":500}"#,
      #"{"endpoint":"responses","status":401},{"endpoint":"refresh","raw":"<html>"}"#,
      #"{"endpoint":"responses","status":401},{"endpoint":"refresh","drop_after":0}"#,
    ]
    for failure in failures {
      try await world.sandbox.play("[\(failure)]")
      _ = try await refusal { try await caller.send("hi", at: client) }
      try await expectNoToken(in: world)
    }
    try await caller.signIn()
    try await world.sandbox.play(
      #"[{"endpoint":"responses","status":401},{"endpoint":"refresh","status":400,"body":{"error":"invalid_grant"}}]"#
    )
    _ = try await refusal { try await caller.send("hi") }
    #expect(try await caller.state() == "reauthentication-required")
    try await expectNoToken(in: world)
    try await caller.signIn()
    try await saver.lock(caller)
    try await expectNoToken(in: world)
  }
}

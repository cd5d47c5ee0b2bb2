// SPDX-License-Identifier: Apache-2.0

/// Refreshing tokens, and failures of a refresh.
@Suite(.worlds) @GLibActor
struct RefreshTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func aRefusedRequestIsRetriedOnceWithANewToken(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    // The cached list of models is not read again: the backend refuses the turn itself.
    _ = try await caller.slugs()
    try await world.sandbox.expireAccessTokens()
    let before = try await world.keyring.credentials()["default"]?.secret
    #expect(try await caller.send("hi").contains("hi"))
    let state = try await world.sandbox.state()
    #expect(state.requests["refresh"] == 1)
    // A WebSocket sends its token once, in its handshake.
    #expect(state.requests[transport == .http ? "responses" : "handshake"] == 2)
    #expect(state.liveRefreshTokens == 1)
    let items = try await world.keyring.credentials()
    #expect(items.count == 1)
    #expect(items["default"]?.secret != before)
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.lastError().isEmpty)
    // The server accepts each refresh token once: a new process has the last one.
    try await world.service.restart()
    try await world.sandbox.expireAccessTokens()
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().requests["refresh"] == 2)
  }

  @Test func aRefusedRefreshNeedsANewSignIn() async throws {
    let world = try await World.begin()
    let listener = try await world.caller()
    let caller = try await world.signedInCaller()
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(
      #"[{"endpoint":"refresh","status":401,"body":{"error":"invalid_grant","error_description":"Gone."}}]"#)
    let turn = try await caller.stream("hi")
    #expect(try await turn.end().failure.name == "ReauthenticationRequired")
    #expect(try await caller.state() == "reauthentication-required")
    let notice = try await listener.signal("ReauthenticationRequired")
    #expect(try notice.arguments.member(0, "reason", as: String.self).contains("Gone."))
    try await listener.signal("StateChanged") { $0.arguments == .tuple("reauthentication-required", "signed-in") }
    let last = try await caller.lastError()
    #expect(last.text("name") == "org.chappie.Error.TokenExchangeFailed")
    #expect(last["requires_reauthentication"] == true.variant)

    // The owner stays known, and the server is not asked again.
    #expect(try await caller.email() == "ada@example.com")
    #expect(try await world.keyring.credentials().count == 1)
    try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
    #expect(try await world.sandbox.state().requests["refresh"] == 1)
    try await listener.catchUp()
    #expect(listener.signals("ReauthenticationRequired").count == 1)

    try await caller.signIn()
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.lastError().isEmpty)
    #expect(try await caller.send("back").contains("back"))
    #expect(try await world.keyring.credentials().count == 1)
  }

  /// The server has rotated the token, and its answer was lost.
  @Test(arguments: [true, false])
  func aLostAnswerIsSurvivedIfTheServerAllowsReuse(grace: Bool) async throws {
    let plan = World.Plan(
      sandboxArguments: ["--auto-approve", "--rate", "0"] + (grace ? ["--refresh-grace"] : []))
    let (world, caller) = try await World.signedIn(plan)
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

  /// A service that is told to end waits for the server's answer and stores it.
  @Test func aRefreshCompletesBeforeTheServiceEnds() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(#"[{"endpoint":"refresh","hold":true}]"#)
    let turn = try await caller.stream("hi")
    try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
    let service = try #require(world.service.process)
    async let restarted: Void = world.service.restart()
    try await eventually("the signal") { service.output.contains("a signal asks it to") }
    try await world.sandbox.release()
    try await restarted
    #expect(try await turn.end().failure.name == "Cancelled")
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().requests["refresh"] == 1)
  }
}

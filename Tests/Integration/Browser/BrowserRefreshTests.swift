// SPDX-License-Identifier: Apache-2.0

/// The refresh of a sign-in whose issuer takes each refresh token once and at its time.
@Suite(.worlds) @GLibActor
struct BrowserRefreshTests {
  /// The access token of the sign-in is due for a refresh at once, and those of the refreshes are not.
  private func begin() async throws -> (World, Caller) {
    let world = try await World.begin(.browser(["--access-token-lifetime", "1"]))
    let caller = try await world.callerSignedInInBrowser()
    try await world.setTokenLifetime(3600)
    return (world, caller)
  }

  /// Signs in anew for each case.
  private func with<Case: Sendable>(
    each cases: [Case], _ body: @GLibActor (World, Caller, Case) async throws -> Void
  ) async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    try await world.each(cases) { test in
      try await world.setTokenLifetime(1)
      try await world.user.signIn(caller)
      try await world.setTokenLifetime(3600)
      try await body(world, caller, test)
    }
  }

  /// The one of the sign-in is valid for a second.
  private func endOfTheAccessToken() async throws {
    let now = UnixTime.now
    try await eventually("the end of the access token") { UnixTime.now > now }
  }

  private func refreshes(_ world: World) async throws -> Int {
    try await world.sandbox.state().requests["browser-refresh"] ?? 0
  }

  @Test func aDueTokenIsRenewedAndStored() async throws {
    let (world, caller) = try await begin()
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await refreshes(world) == 1)
    try await world.service.restart()
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await refreshes(world) == 1)
    // A token that is refused is not renewed before its time.
    try await world.sandbox.expireAccessTokens()
    try await expectRefusal("Network") { try await caller.send("hi") }
    #expect(try await caller.state() == "signed-in")
    #expect(try await refreshes(world) == 1)
  }

  @Test func aTerminalCodeEndsTheSignIn() async throws {
    try await with(each: ["invalid_grant", "token_expired", "refresh_token_reused"]) { world, caller, code in
      try await world.sandbox.play("[{\"endpoint\":\"browser-refresh\",\"refusal\":\"\(code)\"}]")
      for _ in 0..<2 { try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") } }
      #expect(try await caller.state() == "reauthentication-required")
      #expect(try await caller.property("Session.AuthMethod") == "browser")
      #expect(try await refreshes(world) == 1)
      // The same application and account come back.
      let before = try await world.sandbox.state().registrations.map(\.clientId)
      try await world.user.signIn(caller)
      #expect(try await world.sandbox.state().registrations.map(\.clientId) == before)
      #expect(try await caller.state() == "signed-in")
    }
  }

  /// It may be that of a server in between, and nobody has seen a token that is not sent.
  @Test func anAnswerThatRefusesNothingKeepsTheSignIn() async throws {
    let faults = [
      #""refusal":"invalid_client""#, #""refusal":"temporarily_unavailable""#,
      #""status":403,"body":"<html>blocked</html>""#, #""status":503,"body":"down""#,
      #""status":302,"headers":{"location":"https://a.example"}"#, "",
    ]
    try await with(each: faults) { world, caller, fault in
      guard !fault.isEmpty else {
        try await endOfTheAccessToken()
        await world.sandbox.end()
        try await expectRefusal("Network") { try await caller.send("hi") }
        #expect(try await caller.state() == "signed-in")
        return
      }
      try await world.sandbox.play("[{\"endpoint\":\"browser-refresh\",\(fault)}]")
      try await expectRefusal("HTTPError", "\(fault)") { try await caller.send("hi") }
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await refreshes(world) == 2)
    }
  }

  // MARK: The proof of a renewal

  @Test func aRenewalWithoutProofIsNotUsed() async throws {
    let faults = [
      #""signature":"wrong""#, #""claims":{"aud":["other"]}"#, #""claims":{"sub":"somebody else"}"#,
    ]
    try await with(each: faults) { world, caller, fault in
      try await world.sandbox.play("[{\"endpoint\":\"browser-refresh\",\"id_token\":{\(fault)}}]")
      try await expectRefusal("ReauthenticationRequired", "\(fault)") { try await caller.send("hi") }
      try await eventually("its revocation") { try await world.sandbox.state().liveRefreshTokens == 0 }
      try await world.user.signIn(caller)
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  // MARK: Lost answers

  /// The issuer has taken the refresh token, and its answer was lost.
  @Test func aTokenWhoseAnswerWasLostIsNeverSentAgain() async throws {
    let faults = [
      #""drop_after":0"#, #""status":502,"body":"bad gateway""#, #""raw":"{""#, #""status":500,"body":"""#,
    ]
    try await with(each: faults) { world, caller, fault in
      try await endOfTheAccessToken()
      try await world.sandbox.play("[{\"endpoint\":\"browser-refresh\",\(fault)}]")
      try await expectRefusal("ReauthenticationRequired", "\(fault)") { try await caller.send("hi") }
      try await world.service.restart()
      try await expectRefusal("ReauthenticationRequired", "\(fault)") { try await caller.send("hi") }
      #expect(try await refreshes(world) == 1)
      try await world.user.signIn(caller)
      #expect(try await world.sandbox.state().registrations.count == 1)
    }
  }

  /// The service dies while it waits for the answer.
  @Test func aKilledServiceDoesNotSendItsTokenAgain() async throws {
    let (world, caller) = try await begin()
    try await world.sandbox.play(#"[{"endpoint":"browser-refresh","hold":true}]"#)
    let turn = try? await caller.stream("hi")
    try await eventually("the refresh") { try await refreshes(world) == 1 }
    try await world.service.crash()
    withExtendedLifetime(turn) {}
    try await world.service.restart()
    #expect(try await caller.state() == "signed-in")
    try await endOfTheAccessToken()
    try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
    #expect(try await refreshes(world) == 1)
  }

  @Test func signOutRevokesAndTellsTheTruth() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.callerSignedInInBrowser()
    try await caller.call("Session.SignOut")
    #expect(try await caller.lastError().isEmpty)
    #expect(try await world.sandbox.state().liveRefreshTokens == 0)
    try await world.user.signIn(caller)
    // It is tried again.
    try await world.sandbox.play(#"[{"endpoint":"browser-revoke","status":503,"body":"","times":2}]"#)
    try await caller.call("Session.SignOut")
    #expect(try await caller.lastError().isEmpty)
    #expect(try await world.sandbox.state().liveRefreshTokens == 0)
    try await world.user.signIn(caller)
    try await world.sandbox.play(#"[{"endpoint":"browser-revoke","status":503,"body":"","times":"always"}]"#)
    try await caller.call("Session.SignOut")
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.RevocationFailed")
    #expect(try await world.keyring.credentials().isEmpty)
  }
}

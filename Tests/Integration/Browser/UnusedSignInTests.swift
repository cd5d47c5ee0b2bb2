// SPDX-License-Identifier: Apache-2.0

/// What the issuer has issued and nobody can use does not stay alive there.
@Suite(.worlds) @GLibActor
struct UnusedSignInTests {
  private func oneLives(_ world: World) async throws {
    try await eventually("one live sign-in") { try await world.sandbox.state().liveRefreshTokens == 1 }
    try await eventually("an empty list") {
      // An item may go while it is read.
      (try? await world.keyring.items("org.chappie.UnusedSignIns"))?.isEmpty == true
    }
  }

  /// The service dies while it checks the proof of who signed in.
  @Test(arguments: [true, false]) func aSignInThatWasNotStoredIsRevokedAtTheNextStart(_ isFirst: Bool) async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    if !isFirst {
      try await world.user.signIn(caller)
      try await world.service.restart()
    }
    let before = try await world.sandbox.state().requests["jwks"] ?? 0
    // The keys that are asked for before the exchange do not have the one that signs.
    try await world.sandbox.play(
      #"""
      [{"endpoint":"jwks","delay_ms":1},{"endpoint":"jwks","delay_ms":60000},
      {"endpoint":"browser-token","id_token":{"signature":"unpublished"}}]
      """#)
    let arrived = try await world.user.decide(try await world.user.start(caller))
    try await caller.call("Session.CompleteBrowserSignIn", arrived)
    try await eventually("the check") { try await world.sandbox.state().requests["jwks"] ?? 0 > before + 1 }
    #expect(try await world.sandbox.state().liveRefreshTokens == (isFirst ? 1 : 2))
    try await world.service.crash()
    try await world.service.restart()
    try await eventually("the revocation") {
      try await world.sandbox.state().liveRefreshTokens == (isFirst ? 0 : 1)
    }
    #expect(try await caller.state() == (isFirst ? "signed-out" : "signed-in"))
    try await world.user.signIn(caller)
    #expect(try await caller.send("hi").contains("hi"))
    try await oneLives(world)
  }

  /// The service dies, or does not reach the issuer, while it revokes the sign-in that was replaced.
  @Test(arguments: [true, false]) func aReplacedSignInIsRevokedAtTheNextStart(_ isKilled: Bool) async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.callerSignedInInBrowser()
    let fault = isKilled ? #""hang":true"# : #""status":503,"body":"","times":3"#
    try await world.sandbox.play("[{\"endpoint\":\"browser-revoke\",\(fault)}]")
    try await world.user.signIn(caller)
    try await eventually("the revocation") { try await world.sandbox.state().requests["browser-revoke"] ?? 0 > 0 }
    if isKilled {
      try await world.service.crash()
      try await world.sandbox.play("[]")
    } else {
      try await eventually("its end") { try await world.sandbox.state().requests["browser-revoke"] == 3 }
    }
    #expect(try await world.sandbox.state().liveRefreshTokens == 2)
    try await world.service.restart()
    try await oneLives(world)
    #expect(try await caller.send("hi").contains("hi"))
  }

  /// The keyring goes, or is locked, between the answer and its storage.
  @Test(arguments: [true, false]) func aSignInThatCannotBeStoredIsRevokedAtOnce(_ isLocked: Bool) async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    try await world.sandbox.play(#"[{"endpoint":"browser-token","hold":true}]"#)
    let arrived = try await world.user.decide(try await world.user.start(caller))
    try await caller.call("Session.CompleteBrowserSignIn", arrived)
    try await eventually("the exchange") { try await world.sandbox.state().requests["browser-token"] ?? 0 > 0 }
    if isLocked { try await world.keyring.lock() } else { await world.keyring.end() }
    try await world.sandbox.release()
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    try await eventually("its revocation") {
      let state = try await world.sandbox.state()
      return state.liveRefreshTokens == 0 && state.revokedRefreshTokens == 1
    }
  }

  /// A sign-in that was killed after its storage stays, although the list still has it.
  @Test func aRefreshedSignInIsNotTakenForAnUnusedOne() async throws {
    let world = try await World.begin(.browser(["--access-token-lifetime", "9"]))
    let caller = try await world.callerSignedInInBrowser()
    try await world.sandbox.play(#"[{"endpoint":"browser-revoke","status":503,"body":"","times":"always"}]"#)
    try await world.user.signIn(caller)
    try await eventually("the revocation") { try await world.sandbox.state().requests["browser-revoke"] ?? 0 > 2 }
    #expect(try await caller.send("hi").contains("hi"))
    try await world.sandbox.play("[]")
    try await world.service.restart()
    try await oneLives(world)
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await caller.state() == "signed-in")
  }
}

// SPDX-License-Identifier: Apache-2.0

/// Signing out removes one credential, here and at the server.
@Suite(.worlds) @GLibActor
struct SignOutTests {
  @Test func aSignOutRemovesTheItemAndRevokesTheTokens() async throws {
    let (world, caller) = try await World.signedIn()
    try await caller.call("Session.SignOut")
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.property("Session.DeviceLinkState") == "idle")
    #expect(try await caller.property("Session.AccountInfo", as: VariantDictionary.self).isEmpty)
    #expect(try await world.keyring.credentials().isEmpty)
    try await caller.signal("StateChanged") { $0.arguments == .tuple("signed-out", "signed-in") }
    try await eventually("the revocation") { try await world.sandbox.state().revokedRefreshTokens == 1 }
    #expect(try await world.sandbox.state().liveRefreshTokens == 0)
    // Without a sign-in, it succeeds too.
    try await caller.call("Session.SignOut")
    #expect(try await caller.state() == "signed-out")
    #expect(try await world.sandbox.state().requests["revoke"] == 1)
    try await expectRefusal("MissingCredential") { try await caller.send("hi") }
    try await caller.signIn()
    #expect(try await caller.send("back").contains("back"))
  }

  /// The names of the files that tell processes of each other's changes.
  private func lockFiles(_ world: World) throws -> [String] {
    try world.directories.files().keys.filter { $0.hasPrefix("run/chappie/") && $0.hasSuffix(".lock") }.sorted()
  }

  /// Anybody can name any number of accounts.
  @Test func aSignOutWithoutASignInLeavesNoFile() async throws {
    let (world, caller) = try await World.signedIn()
    let before = try lockFiles(world)
    for number in 0..<3 {
      let session = try await caller.open("Session", ["keychain_account": "nobody \(number)"])
      try await caller.call("Session.SignOut", at: session)
      #expect(try await caller.state(at: session) == "signed-out")
    }
    try await world.keyring.lock()
    try await caller.waitFor("locked", "Manager.LockState")
    let hidden = try await caller.open("Session", ["keychain_account": "nobody"])
    try await expectRefusal("Locked") { try await caller.call("Session.SignOut", at: hidden) }
    #expect(try lockFiles(world) == before)
    #expect(before.count == 1)
  }

  /// The credential is removed, and the exit status tells a script that the revocation failed.
  @Test func aFailedRevocationIsReported() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.play(#"[{"endpoint":"revoke","status":503}]"#)
    let output = try await world.chappie("sign-out")
    #expect(output.status == 12)
    #expect(output.text.hasPrefix("chappie: The sign-in was removed here, but the server could not be told"))
    #expect(output.text.contains("status 503"))
    try await expectFailedRevocation(world, caller, "status 503")
    // A second sign-out has nothing to report.
    let again = try await world.chappie("sign-out")
    #expect(again.status == 0 && again.text == "Signed out.\n")
    #expect(try await world.sandbox.state().requests["revoke"] == 1)

    // The next sign-in is independent of it.
    try await caller.signIn()
    #expect(try await caller.lastError().isEmpty)
    try await world.sandbox.play(#"[{"endpoint":"revoke","hang":true}]"#)
    try await caller.call("Session.SignOut")
    try await expectFailedRevocation(world, caller, "in time")
    try await caller.signIn()
    await world.sandbox.end()
    try await caller.call("Session.SignOut")
    try await expectFailedRevocation(world, caller, "was not reached")
  }

  private func expectFailedRevocation(_ world: World, _ caller: Caller, _ reason: String) async throws {
    #expect(try await caller.state() == "signed-out")
    #expect(try await world.keyring.credentials().isEmpty)
    let error = try await caller.lastError()
    #expect(error.text("name") == "org.chappie.Error.RevocationFailed")
    #expect(error.text("message")?.contains(reason) == true)
  }
}

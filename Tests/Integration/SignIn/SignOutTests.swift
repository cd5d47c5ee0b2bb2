// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Signing out removes one credential, here and at the server.
@Suite(.worlds) @GLibActor
struct SignOutTests {
  @Test func aSignOutRemovesTheItemAndRevokesTheTokens() async throws {
    try await World.signedIn { world, caller in
      try await caller.call("Session.SignOut")
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.property("Session.DeviceLinkState") == "idle")
      #expect(try await caller.property("Session.AccountInfo", as: VariantDictionary.self).isEmpty)
      #expect(try await world.keyring.credentials().isEmpty)
      try await caller.signal("StateChanged") { $0.arguments == .tuple("signed-out", "signed-in") }
      try await eventually("the revocation") { try await world.sandbox.state().revokedRefreshTokens == 1 }
      #expect(try await world.sandbox.state().liveRefreshTokens == 0)
      try await expectRefusal("MissingCredential") { try await caller.send("hi") }
      try await caller.signIn()
      #expect(try await caller.send("back").contains("back"))
    }
  }

  @Test func aSignOutSucceedsWithoutASignIn() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      try await caller.call("Session.SignOut")
      #expect(try await caller.state() == "signed-out")
      #expect(try await world.sandbox.state().requests["revoke"] == 0)
    }
  }

  /// The names of the files that tell processes of each other's changes.
  private func lockFiles(_ world: World) throws -> [String] {
    try world.directories.files().keys.filter { $0.hasPrefix("run/chappie/") && $0.hasSuffix(".lock") }.sorted()
  }

  /// Anybody can name any number of accounts.
  @Test func aSignOutWithoutASignInLeavesNoFile() async throws {
    try await World.signedIn { world, caller in
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
  }

  @Test(arguments: ["default", "work"])
  func aSignOutLeavesOtherAccountsUnchanged(_ account: String) async throws {
    try await World.signedIn { world, caller in
      let work = try await caller.signIn(account: "work")
      #expect(try await world.keyring.credentials().keys.sorted() == ["default", "work"])

      let (gone, kept) = account == "work" ? (work, ObjectPath.chappie) : (.chappie, work)
      try await caller.call("Session.SignOut", at: gone)
      #expect(try await caller.state(at: gone) == "signed-out")
      #expect(try await caller.state(at: kept) == "signed-in")
      #expect(try await world.keyring.credentials().keys.sorted() == (account == "work" ? ["default"] : ["work"]))
      try await eventually("the revocation") { try await world.sandbox.state().revokedRefreshTokens == 1 }
      #expect(try await world.sandbox.state().liveRefreshTokens == 1)
    }
  }

  @Test(arguments: [
    (#"[{"endpoint":"revoke","status":500}]"#, "status 500"), (#"[{"endpoint":"revoke","hang":true}]"#, "in time"),
  ])
  func aFailedRevocationIsReported(_ scenario: String, _ reason: String) async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(scenario)
      try await caller.call("Session.SignOut")
      #expect(try await caller.state() == "signed-out")
      #expect(try await world.keyring.credentials().isEmpty)
      #expect(try await world.sandbox.state().requests["revoke"] == 1)
      let error = try await caller.lastError()
      #expect(error.text("name") == "org.chappie.Error.RevocationFailed")
      #expect(error.text("message")?.contains(reason) == true)
      // The next sign-in is independent of it.
      try await caller.signIn()
      #expect(try await caller.lastError().isEmpty)
    }
  }

  @Test func anUnreachableServerIsReported() async throws {
    try await World.signedIn { world, caller in
      await world.sandbox.end()
      try await caller.call("Session.SignOut")
      #expect(try await caller.state() == "signed-out")
      #expect(try await world.keyring.credentials().isEmpty)
      #expect(try await caller.lastError().text("message")?.contains("was not reached") == true)
    }
  }

  /// The credential is removed, and the exit status tells a script that the revocation failed.
  @Test func theCommandReportsAFailedRevocation() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(#"[{"endpoint":"revoke","status":503}]"#)
      let output = try await world.chappie("sign-out")
      #expect(output.status == 12)
      #expect(output.text.hasPrefix("chappie: The sign-in was removed here, but the server could not be told"))
      #expect(output.text.contains("status 503"))
      #expect(try await caller.state() == "signed-out")
      // A second sign-out has nothing to report.
      let again = try await world.chappie("sign-out")
      #expect(again.status == 0 && again.text == "Signed out.\n")
    }
  }

  @Test func aSignOutChangesNothingWhileTheKeyringIsLocked() async throws {
    try await World.signedIn { world, caller in
      try await world.keyring.lock()
      try await expectRefusal("Locked") { try await caller.call("Session.SignOut") }
      #expect(try await caller.state() == "signed-in")
      try await world.keyring.unlock()
      #expect(try await world.keyring.credentials().count == 1)
      #expect(try await world.sandbox.state().requests["revoke"] == 0)
      try await caller.call("Session.SignOut")
      #expect(try await world.keyring.credentials().isEmpty)
    }
  }

  @Test func aSignOutEndsARunningSignIn() async throws {
    try await World.with(.attended) { world in
      let caller = try await world.caller()
      _ = try await caller.startSignIn()
      try await caller.call("Session.SignOut")
      try await caller.waitFor("signed-out")
      #expect(try await caller.property("Session.DeviceCode", as: VariantDictionary.self).isEmpty)
    }
  }

  /// The answer of a refresh that runs must not restore the credential.
  @Test func aSignOutOverridesARunningRefresh() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.expireAccessTokens()
      try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":1000}]"#)
      // The order of the two decides if the turn still gets its answer.
      async let answer = try? caller.send("hi")
      try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
      try await caller.call("Session.SignOut")
      _ = await answer
      #expect(try await caller.state() == "signed-out")
      #expect(try await world.keyring.credentials().isEmpty)
      try await eventually("the revocation") { try await world.sandbox.state().liveRefreshTokens == 0 }
    }
  }
}

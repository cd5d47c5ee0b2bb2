// SPDX-License-Identifier: Apache-2.0

/// `after-first-unlock-this-device-only`: readable once the keyring was unlocked since login, also while it is locked
/// again.
@Suite(.worlds) @GLibActor
struct AfterFirstUnlockTests {
  /// A caller whose credential may be read after the first unlock.
  private func begin() async throws -> (World, Caller) {
    let world = try await World.begin()
    let caller = try await world.caller()
    try await caller.signIn(.afterFirstUnlock)
    return (world, caller)
  }

  private func lockScreen(_ world: World, _ caller: Caller) async throws -> ScreenSaver {
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    try await caller.waitFor(Lock("locked", [saver.name]))
    return saver
  }

  // MARK: Allowed

  @Test func aTurnRunsWhileTheScreenIsLocked() async throws {
    let (world, caller) = try await begin()
    // Each account has its accessibility.
    try await caller.signIn(.whenUnlocked, account: "work")
    let work = try await caller.open("Client", ["keychain_account": "work"])
    #expect(try await caller.send("hi", at: work).contains("hi"))
    let saver = try await lockScreen(world, caller)
    try await expectRefusal("Locked") { try await caller.send("hi", at: work) }
    #expect(try await caller.send("locked").contains("locked"))
    #expect(try await caller.stream("locked").end().answer.text.contains("locked"))
    #expect(try await caller.lastError().isEmpty)
    try await world.service.restart()
    #expect(try await caller.send("again").contains("again"))
    #expect(try await caller.lock() == Lock("locked", [saver.name]))
  }

  /// The keyring's `session` collection holds a copy that the next service process finds too.
  @Test func aTurnRunsWhileTheKeyringIsLockedAgain() async throws {
    let (world, caller) = try await begin()
    // The copy holds the refreshed token: the server has forgotten the old one.
    try await world.sandbox.expireAccessTokens()
    #expect(try await caller.send("renewed").contains("renewed"))
    try await world.keyring.lock()
    #expect(try await caller.send("locked").contains("locked"))
    try await caller.waitFor(Lock("locked", ["keyring"]))
    #expect(try await caller.availability() == ["can", "unlock", ""])
    for _ in 0..<2 {
      try await world.service.restart()
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.email() == "ada@example.com")
      #expect(try await caller.lock() == Lock("locked", ["keyring"]))
      #expect(try await caller.availability() == ["can", "unlock", ""])
      #expect(try await caller.send("again").contains("again"))
    }
    // The copy is also readable while the screen is locked.
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    try await caller.waitFor(Lock("locked", ["keyring", saver.name]))
    #expect(try await caller.send("both").contains("both"))
    #expect(try await world.sandbox.state().requests["refresh"] == 1)
  }

  /// Without a `session` collection, the copy is in the memory of the service and ends with it.
  @Test func aTurnRunsWithoutASessionCollection() async throws {
    let world = try await World.begin(.fakeKeyring)
    let fake = try await FakeKeyring(in: world)
    let caller = try await world.caller()
    try await caller.signIn(.afterFirstUnlock)
    #expect(fake.items.count == 1)
    fake.setLocked(true)
    #expect(try await caller.send("locked").contains("locked"))
    try await world.service.restart()
    try await expectRefusal("Locked") { try await caller.send("locked") }
    #expect(try await caller.state() == "signed-in")
    fake.setLocked(false)
    #expect(try await caller.send("unlocked").contains("unlocked"))
    fake.setLocked(true)
    #expect(try await caller.send("locked").contains("locked"))
    #expect(fake.questions == 0)
  }

  // MARK: Refused

  /// A login without a password: the keyring's daemon is new and still locked.
  @Test func aTurnIsRefusedBeforeTheFirstUnlock() async throws {
    let (world, caller) = try await begin()
    await world.keyring.end()
    try await world.keyring.start(isUnlocked: false)
    try await caller.waitFor(Lock("before-first-unlock", ["keyring"]))
    try await expectRefusal("Locked") { try await caller.send("hi") }
    try await world.service.restart()
    #expect(try await caller.state() == "signed-in")
    try await expectRefusal("Locked") { try await caller.send("hi") }
    #expect(try await world.sandbox.state().requests["responses"] == 0)

    try await world.keyring.unlock()
    #expect(try await caller.send("unlocked").contains("unlocked"))
    try await world.keyring.lock()
    try await world.service.restart()
    #expect(try await caller.send("locked").contains("locked"))
  }

  /// Signing out deletes the credential and its copy.
  @Test func theCopyIsDeletedBySignOut() async throws {
    let (world, caller) = try await begin()
    #expect(try await world.keyring.items().count == 2)
    try await world.keyring.lock()
    try await expectRefusal("Locked") { try await caller.call("Session.SignOut") }
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.send("still there").contains("still there"))
    #expect(try await world.sandbox.state().requests["revoke"] == 0)
    try await world.keyring.unlock()
    try await caller.call("Session.SignOut")
    #expect(try await world.keyring.items().isEmpty)
    try await expectRefusal("MissingCredential") { try await caller.send("gone") }
    try await world.keyring.lock()
    _ = try await refusal { try await caller.send("gone") }
    #expect(try await caller.state() == "signed-out")
    #expect(try await world.sandbox.state().requests["responses"] == 1)
  }

  /// The accessibility belongs to the credential, so a new sign-in sets the new one.
  @Test func aNewSignInChangesTheAccessibility() async throws {
    let (world, caller) = try await begin()
    try await caller.signIn(.whenUnlocked)
    let items = try await world.keyring.items()
    #expect(items.count == 1, "the copy is gone too")
    #expect(items.first?.attributes["accessibility"] == Accessibility.whenUnlocked.rawValue)
    let saver = try await lockScreen(world, caller)
    try await expectRefusal("Locked") { try await caller.send("locked") }
    try await saver.unlock(caller)

    try await caller.signIn(.afterFirstUnlock)
    let rules = try await world.keyring.items().map { $0.attributes["accessibility"] }
    #expect(rules == [Accessibility.afterFirstUnlock.rawValue, Accessibility.afterFirstUnlock.rawValue])
    try await saver.lock(caller)
    #expect(try await caller.send("locked").contains("locked"))
    try await world.keyring.lock()
    #expect(try await caller.send("locked").contains("locked"))
  }
}

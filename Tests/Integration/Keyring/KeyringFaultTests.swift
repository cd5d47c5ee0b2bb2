// SPDX-License-Identifier: Apache-2.0

/// Faults of keyrings: each gives the documented error within its time limit, delays no other caller, signs no account
/// out, and is over when the keyring works again.
@Suite(.worlds) @GLibActor
struct KeyringFaultTests {
  private let withoutKeyring = World.Plan.fakeKeyring

  private func failure(_ caller: Caller, at path: ObjectPath = .chappie) async throws -> String {
    try await refusal { try await caller.send("hi", at: path) }.name
  }

  private func expectUnavailable(_ caller: Caller, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let name = try await caller.lastError().text("name")
    #expect(name == "org.chappie.Error.KeyringUnavailable", sourceLocation: sourceLocation)
  }

  private func waitForAccount(_ caller: Caller) async throws {
    try await eventually("the account") {
      let error = try await caller.lastError()
      return try await caller.email() == "ada@example.com" && error.isEmpty
    }
    #expect(try await caller.state() == "signed-in")
  }

  // MARK: A keyring that does not answer

  /// gnome-keyring is stopped: calls and turns that do not need it go on.
  @Test func aStoppedKeyringDelaysNoOtherCaller() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two three","hold_after":1}]"#)
    let turn = try await caller.stream("under way")
    try await caller.signal("TextDelta")
    world.keyring.freeze()
    let waiting = try await caller.stream("waiting")
    let other = try await world.caller()
    #expect(try await other.state() == "signed-in")
    #expect(try await other.email() == "ada@example.com")
    let client = try await other.open("Client", ["keychain_account": "work"])
    #expect(try await other.property("Client.Model", at: client) == "gpt-5.5")
    try await world.sandbox.release()
    #expect(try await turn.end().answer.text == "one two three")
    #expect(try await waiting.end().failure.name == "KeyringUnavailable")
    #expect(
      caller.signals.filter { ["Completed", "Failed"].contains($0.member) }.map(\.member) == ["Completed", "Failed"])
    try await expectRefusal("KeyringUnavailable") { try await other.startSignIn() }
    try await expectRefusal("KeyringUnavailable") { try await other.call("Session.SignOut") }
    #expect(try await caller.state() == "signed-in")
    try await expectUnavailable(caller)
    world.keyring.thaw()
    try await waitForAccount(caller)
    #expect(try await caller.send("hi").contains("hi"))

    // gnome-keyring sends no signal when it continues; the service notices nevertheless.
    world.keyring.freeze()
    try await world.service.restart()
    #expect(try await caller.state() == "signed-in")
    try await expectUnavailable(caller)
    world.keyring.thaw()
    try await waitForAccount(caller)
  }

  /// KeePassXC has a prompt for each new item that needs no user. This one never ends.
  @Test func aNewItemsPromptThatNeverEndsTimesOut() async throws {
    let world = try await World.begin(withoutKeyring)
    let keyring = try await FakeKeyring(in: world)
    keyring.promptsForAll = true
    let caller = try await world.caller()
    // Another accessibility makes the next sign-in a new item.
    _ = try await caller.signIn(.afterFirstUnlock)
    let earlier = (questions: keyring.questions, dismissals: keyring.dismissals)
    keyring.user = .isAway
    _ = try await caller.startSignIn()
    try await eventually("the prompt") { keyring.questions > earlier.questions }
    #expect(try await caller.send("meanwhile").contains("meanwhile"))
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    try await expectUnavailable(caller)
    // The list of sign-ins to end is another new item, with a prompt of its own.
    #expect(keyring.questions == earlier.questions + 2)
    #expect(keyring.dismissals == earlier.dismissals + 2)
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.send("the old one").contains("the old one"))
    try await eventually("the revocation of the new one") {
      try await world.sandbox.state().requests["revoke"] == 1
    }
    keyring.user = .consents
    try await caller.signIn()
    #expect(try await caller.send("the new one").contains("the new one"))
  }

  /// The keyring offers no encryption: nothing is stored or read over such a session.
  @Test func aKeyringWithoutEncryptionIsRefused() async throws {
    let world = try await World.begin(World.Plan(keyring: .none))
    let keyring = try await FakeKeyring(in: world)
    let caller = try await world.caller()
    try await expectRefusal("KeyringUnavailable", saying: "PlainSession=allow in [Keyring] of chappie.conf") {
      try await caller.startSignIn()
    }
    #expect(try await failure(caller) == "KeyringUnavailable")
    try await expectUnavailable(caller)
    try await expectRefusal("KeyringUnavailable") { try await caller.createThread() }
    #expect(keyring.items.isEmpty && keyring.reads == 0)
    #expect(try await world.sandbox.state().requests["usercode"] == 0)

    // The configuration can allow it, and taking that back signs no account out.
    try world.directories.configure(World.Plan.allowingPlainSessions)
    try await world.service.restart()
    try await caller.signIn()
    #expect(try await caller.send("in clear").contains("in clear"))
    try world.directories.configure("[Keyring]\nPlainSession=refuse\n")
    try await world.service.restart()
    let reads = keyring.reads
    #expect(try await failure(caller) == "KeyringUnavailable")
    #expect(try await caller.state() == "signed-in")
    #expect(keyring.reads == reads)
  }

  // MARK: A missing or another keyring

  /// The alias of the default collection is lost: stored items are still found, and no new item is stored elsewhere.
  @Test func aLostDefaultCollectionIsReported() async throws {
    let world = try await World.begin(withoutKeyring)
    let keyring = try await FakeKeyring(in: world)
    let caller = try await world.signedInCaller()
    keyring.hasDefault = false
    #expect(try await caller.send("hi").contains("hi"))
    try await world.sandbox.expireAccessTokens()
    #expect(try await failure(caller) == "KeyringUnavailable")
    try await expectRefusal("KeyringUnavailable") { try await caller.startSignIn() }
    #expect(try await world.sandbox.state().requests["refresh"] == 0, "its answer could not be kept")
    #expect(try await caller.state() == "signed-in")
    keyring.hasDefault = true
    #expect(try await caller.send("hi").contains("hi"))
    #expect(keyring.items.count == 1)
  }

  /// The name's owner changes without a gap, as when one desktop's keyring replaces another's.
  @Test func oneProviderReplacesAnotherAtOnce() async throws {
    let world = try await World.begin(withoutKeyring)
    let first = try await FakeKeyring(in: world)
    let caller = try await world.signedInCaller()
    let second = try await FakeKeyring(in: world)
    #expect(try await failure(caller) == "MissingCredential")
    #expect(try await caller.state() == "signed-out")
    try await caller.signIn()
    try await eventually("one item") { second.items.count == 1 }
    try await first.comeBack()
    #expect(try await caller.send("hi").contains("hi"))
    try await first.leave()
    #expect(try await failure(caller) == "KeyringUnavailable")
    #expect(try await caller.state() == "signed-in")
    try await second.comeBack()
    #expect(try await caller.send("hi").contains("hi"))
    try await caller.call("Session.SignOut")
    #expect(try await caller.state() == "signed-out")
    try await first.comeBack()
    try await waitForAccount(caller)
    #expect(try await caller.send("back").contains("back"))
  }

  /// Deleting or changing the item with a keyring editor signs the account out, and deletes the copy too.
  @Test func anItemChangedByAnotherProgramSignsOut() async throws {
    try await World.with(each: Accessibility.allCases) { world, accessibility in
      let caller = try await world.caller()
      try await caller.signIn(accessibility)
      try await world.keyring.delete("default")
      #expect(try await failure(caller) == "MissingCredential")
      #expect(try await caller.state() == "signed-out")
      #expect(try await world.keyring.items().isEmpty)
      try await world.service.restart()
      #expect(try await caller.state() == "signed-out")

      try await caller.signIn(accessibility)
      try await world.keyring.changeSecret(of: "default") { String($0.reversed()) }
      #expect(try await failure(caller) == "MissingCredential")
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.lastError().text("message")?.contains("damaged") == true)
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.lastError().isEmpty)
      #expect(try await world.keyring.items().count == 1)
    }
  }

  /// The keyring signals a change, does not tell what it was, and answers again.
  @Test func aChangeIsAskedForAgain() async throws {
    let world = try await World.begin(withoutKeyring)
    let keyring = try await FakeKeyring(in: world)
    let caller = try await world.signedInCaller()
    keyring.isSilent = true
    keyring.removeItems()
    try await eventually("the question") { keyring.unanswered > 0 }
    keyring.isSilent = false
    try await caller.waitFor("signed-out")
  }

  /// The keyring reports that it has stored a sign-in, and has not.
  @Test func whatTheKeyringDropsIsNotUsed() async throws {
    let world = try await World.begin(withoutKeyring)
    let keyring = try await FakeKeyring(in: world)
    keyring.storesNothing = true
    let caller = try await world.caller()
    _ = try await caller.startSignIn()
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    #expect(try await caller.state() == "signed-out")
    try await expectUnavailable(caller)
    #expect(try await caller.lastError().text("message")?.contains("did not keep") == true)
    try await eventually("the revocation") { try await world.sandbox.state().liveRefreshTokens == 0 }
    keyring.storesNothing = false
    try await caller.signIn()
    #expect(try await caller.send("hi").contains("hi"))

    // The server has rotated the token: the new one is not used before it is stored, and not lost.
    try await world.sandbox.expireAccessTokens()
    keyring.storesNothing = true
    for _ in 0..<2 { #expect(try await failure(caller) == "KeyringUnavailable") }
    #expect(try await caller.state() == "signed-in")
    #expect(try await world.sandbox.state().requests["refresh"] == 1)
    keyring.storesNothing = false
    #expect(try await caller.send("hi").contains("hi"))
    try await world.service.restart()
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().requests["refresh"] == 1)
  }
}

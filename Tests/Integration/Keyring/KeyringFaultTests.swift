import GLibBridge
import Testing

/// What goes wrong with keyrings: each time the documented error in its time, others answered meanwhile, nobody
/// signed out because a keyring cannot be asked, and all well again when the keyring is.
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

  // MARK: Silent

  /// gnome-keyring is stopped: what does not need it goes on, and so do turns that no longer do.
  @Test func aStoppedKeyringHoldsUpNobodyElse() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two three","delta_delay_ms":200}]"#)
      let turn = try await caller.stream("under way")
      try await caller.signal("TextDelta")
      world.keyring.freeze()
      let waiting = try await caller.stream("waiting")
      let other = try await world.caller()
      #expect(try await other.state() == "signed-in")
      #expect(try await other.email() == "ada@example.com")
      let client = try await other.open("Client", ["keychain_account": "work"])
      #expect(try await other.property("Client.Model", at: client) == "gpt-5.5")
      #expect(try await turn.end().answer.text == "one two three")
      #expect(try await waiting.end().failure.name == "KeyringUnavailable")
      #expect(
        caller.signals.filter { ["Completed", "Failed"].contains($0.member) }.map(\.member) == ["Completed", "Failed"])
      #expect(try await refusal { try await other.startSignIn() }.name == "KeyringUnavailable")
      #expect(try await refusal { try await other.call("Session.SignOut") }.name == "KeyringUnavailable")
      #expect(try await caller.state() == "signed-in")
      try await expectUnavailable(caller)
      world.keyring.thaw()
      try await waitForAccount(caller)
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  /// It tells nobody when it goes on, and the service notices all the same.
  @Test func aKeyringThatWasStoppedIsNoticedWhenItGoesOn() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      world.keyring.freeze()
      try await world.service.restart()
      #expect(try await caller.state() == "signed-in")
      try await expectUnavailable(caller)
      world.keyring.thaw()
      try await waitForAccount(caller)
    }
  }

  /// KeePassXC has a prompt for each new item, which needs nobody. This one never ends.
  @Test func aPromptForANewItemThatNeverEnds() async throws {
    try await World.with(withoutKeyring) { world in
      let keyring = try await FakeKeyring(in: world)
      keyring.promptsForAll = true
      let caller = try await world.caller()
      // Under another rule, so that the next sign-in is a new item.
      _ = try await caller.signIn(.afterFirstUnlock)
      let earlier = (questions: keyring.questions, dismissals: keyring.dismissals)
      keyring.user = .isAway
      _ = try await caller.startSignIn()
      try await eventually("the prompt") { keyring.questions > earlier.questions }
      #expect(try await caller.send("meanwhile").contains("meanwhile"))
      try await caller.waitFor("failed", "Session.DeviceLinkState")
      try await expectUnavailable(caller)
      #expect(keyring.dismissals == earlier.dismissals + 1)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("the old one").contains("the old one"))
      try await eventually("the revocation of the new one") {
        try await world.sandbox.state().requests["revoke"] == 1
      }
      keyring.user = .consents
      try await caller.signIn()
      #expect(try await caller.send("the new one").contains("the new one"))
    }
  }

  // MARK: In clear

  /// It offers no encryption: nothing is stored over it, and nothing is read.
  @Test func aKeyringWithoutEncryptionIsRefused() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      let keyring = try await FakeKeyring(in: world)
      let caller = try await world.caller()
      let refused = try await refusal { try await caller.startSignIn() }
      #expect(refused.name == "KeyringUnavailable")
      #expect(refused.message.contains("PlainSession=allow in [Keyring] of chappie.conf"))
      #expect(try await failure(caller) == "KeyringUnavailable")
      try await expectUnavailable(caller)
      #expect(try await refusal { try await caller.createThread() }.name == "KeyringUnavailable")
      #expect(keyring.items.isEmpty && keyring.reads == 0)
      #expect(try await world.sandbox.state().requests["usercode"] == 0)

      // Who wants it so says so; and who changes their mind is signed out by nobody.
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
  }

  // MARK: Gone, or another one

  /// gnome-keyring after a login without a password, where nobody ever had a keyring.
  @Test func thereIsNoDefaultCollection() async throws {
    try await World.with(withoutKeyring) { world in
      try await world.keyring.start(isUnlocked: false)
      let caller = try await world.caller()
      #expect(try await refusal { try await caller.startSignIn() }.name == "KeyringUnavailable")
      #expect(try await failure(caller) == "KeyringUnavailable")
      try await expectUnavailable(caller)
      await world.keyring.end()
      try await world.keyring.start()
      try await eventually("the keyring") { try await caller.lastError().isEmpty }
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  /// The alias of the default collection is lost: what is stored is still found, and nothing new is stored elsewhere.
  @Test func theDefaultCollectionIsLost() async throws {
    try await World.with(withoutKeyring) { world in
      let keyring = try await FakeKeyring(in: world)
      let caller = try await world.signedInCaller()
      keyring.hasDefault = false
      #expect(try await caller.send("hi").contains("hi"))
      try await world.sandbox.expireAccessTokens()
      #expect(try await failure(caller) == "KeyringUnavailable")
      #expect(try await refusal { try await caller.startSignIn() }.name == "KeyringUnavailable")
      #expect(try await world.sandbox.state().requests["refresh"] == 0, "its answer could not be kept")
      #expect(try await caller.state() == "signed-in")
      keyring.hasDefault = true
      #expect(try await caller.send("hi").contains("hi"))
      #expect(keyring.items.count == 1)
    }
  }

  /// Another program takes the keyring's place and knows nothing of the sign-in.
  @Test func anotherProviderTakesOver() async throws {
    try await World.with(World.Plan(configuration: World.Plan.allowingPlainSessions)) { world in
      let caller = try await world.signedInCaller()
      await world.keyring.end()
      #expect(try await failure(caller) == "KeyringUnavailable")
      let other = try await FakeKeyring(in: world)
      #expect(try await failure(caller) == "MissingCredential")
      #expect(try await caller.state() == "signed-out")
      try await caller.signIn()
      #expect(try await caller.send("there").contains("there"))
      #expect(other.items.count == 1)
      try await caller.call("Session.SignOut")
      #expect(try await caller.state() == "signed-out")

      try await other.leave()
      try await world.keyring.start()
      try await waitForAccount(caller)
      #expect(try await caller.send("back").contains("back"))
    }
  }

  /// From one moment to the next, as when one desktop's keyring replaces another's.
  @Test func oneProviderReplacesAnother() async throws {
    try await World.with(withoutKeyring) { world in
      let first = try await FakeKeyring(in: world)
      let caller = try await world.signedInCaller()
      let second = try await FakeKeyring(in: world)
      #expect(try await failure(caller) == "MissingCredential")
      try await caller.signIn()
      #expect(second.items.count == 1)
      try await first.comeBack()
      #expect(try await caller.send("hi").contains("hi"))
      try await first.leave()
      #expect(try await failure(caller) == "KeyringUnavailable")
      #expect(try await caller.state() == "signed-in")
      try await second.comeBack()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  // MARK: What it holds

  /// Whoever removes the sign-in with a keyring editor is signed out, of the copy too.
  @Test(arguments: Accessibility.allCases)
  func anotherProgramDeletesTheItem(_ accessibility: Accessibility) async throws {
    try await World.with { world in
      let caller = try await world.caller()
      try await caller.signIn(accessibility)
      try await world.keyring.delete("default")
      #expect(try await failure(caller) == "MissingCredential")
      #expect(try await caller.state() == "signed-out")
      #expect(try await world.keyring.items().isEmpty)
      try await world.service.restart()
      #expect(try await caller.state() == "signed-out")
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  @Test(arguments: Accessibility.allCases)
  func anotherProgramGarblesTheItem(_ accessibility: Accessibility) async throws {
    try await World.with { world in
      let caller = try await world.caller()
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

  /// The keyring says that it has stored the sign-in, and has not.
  @Test func aSignInIsNotKept() async throws {
    try await World.with(withoutKeyring) { world in
      let keyring = try await FakeKeyring(in: world)
      keyring.keeping = .nothing
      let caller = try await world.caller()
      _ = try await caller.startSignIn()
      try await caller.waitFor("failed", "Session.DeviceLinkState")
      #expect(try await caller.state() == "signed-out")
      try await expectUnavailable(caller)
      #expect(try await caller.lastError().text("message")?.contains("did not keep") == true)
      try await eventually("the revocation") { try await world.sandbox.state().liveRefreshTokens == 0 }
      keyring.keeping = .everything
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  /// The server has rotated the token: it is not used before it is kept, and not lost.
  @Test func aRefreshIsNotKept() async throws {
    try await World.with(withoutKeyring) { world in
      let keyring = try await FakeKeyring(in: world)
      let caller = try await world.signedInCaller()
      try await world.sandbox.expireAccessTokens()
      keyring.keeping = .nothing
      for _ in 0..<2 { #expect(try await failure(caller) == "KeyringUnavailable") }
      #expect(try await caller.state() == "signed-in")
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
      keyring.keeping = .everything
      #expect(try await caller.send("hi").contains("hi"))
      try await world.service.restart()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }

  // MARK: In the middle

  /// It ends between finding and reading, as often as it is asked.
  @Test func theKeyringIsKilledAgainAndAgain() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      for round in 0..<5 {
        async let answer = outcome(caller)
        if round > 0 { try await sleep(for: .milliseconds(round * 3)) }
        await world.keyring.kill()
        #expect(["answered", "KeyringUnavailable"].contains(try await answer))
        #expect(try await caller.state() == "signed-in")
        try await world.keyring.start()
        #expect(try await caller.send("back").contains("back"))
      }
    }
  }

  private func outcome(_ caller: Caller) async throws -> String {
    do {
      _ = try await caller.send("hi")
      return "answered"
    } catch let error as GLibError {
      return Refusal(error).name
    }
  }
}

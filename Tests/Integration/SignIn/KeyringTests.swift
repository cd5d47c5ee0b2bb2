// SPDX-License-Identifier: Apache-2.0

/// A locked or missing keyring signs no account out.
@Suite(.worlds) @GLibActor
struct KeyringTests {
  @Test func aRestartedKeyringIsUsedAgain() async throws {
    let (world, caller) = try await World.signedIn()
    let thread = try await caller.createThread()
    _ = try await caller.send("One", to: thread)
    // It is killed at some moment of a request.
    for _ in 0..<3 {
      let turn = try await caller.stream("hi")
      await world.keyring.kill()
      if case .failed(let error, _, _) = try await turn.end() {
        #expect(error == "org.chappie.Error.KeyringUnavailable")
      }
      #expect(try await caller.state() == "signed-in")
      try await world.keyring.start()
      #expect(try await caller.send("back").contains("back"))
    }
    await world.keyring.kill()
    try await expectRefusal("KeyringUnavailable", saying: "The keyring cannot be used") {
      try await caller.send("hi")
    }
    try await expectRefusal("KeyringUnavailable") { try await caller.call("Session.SignOut") }
    try await eventually("unreadable threads") { (try? await caller.threads()) == nil }
    #expect(try await caller.state() == "signed-in")
    // The service remembers that a credential exists, and cannot read its owner.
    try await world.service.restart()
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.KeyringUnavailable")
    // It is locked and shows no items, which is no proof that there are none.
    try await world.keyring.start(isUnlocked: false)
    try await expectRefusal("Locked") { try await caller.call("Session.SignOut") }
    try await world.keyring.unlock()
    // The state becomes correct without a use of the sign-in.
    try await eventually("the account") {
      let error = try await caller.lastError()
      return try await caller.email() == "ada@example.com" && error.isEmpty
    }
    #expect(try await caller.send("Two", to: thread).contains("3 messages"))
    #expect(try await world.keyring.credentials().count == 1)
  }

  @Test func aMissingKeyringIsReported() async throws {
    let world = try await World.begin(World.Plan(keyring: .none))
    let caller = try await world.caller()
    // The state is unknown, and LastError says why.
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.KeyringUnavailable")
    try await expectRefusal("KeyringUnavailable") { try await caller.send("hi") }
    try await expectRefusal("KeyringUnavailable") { try await caller.startSignIn() }
    #expect(try await world.sandbox.state().requests["usercode"] == 0)
    #expect(try await caller.lock() == Lock("unknown", []))
    // Nothing is stored elsewhere: the device key is made only to seal an item for the keyring.
    let places = try world.directories.files().keys.filter { $0.hasPrefix("home/") && !$0.contains("/chappie/") }
    #expect(places.isEmpty, "\(places)")
    let own = try world.directories.files().keys.filter { $0.hasPrefix("home/.state/chappie/") }
    #expect(
      Set(own.map { $0.split(separator: "/").last ?? "" }).isSubset(of: ["device-key", "CACHEDIR.TAG", ".nobackup"]))
    try await world.keyring.start()
    try await caller.signIn()
    #expect(try await caller.send("hi").contains("hi"))
  }

  /// KeePassXC has a prompt for every operation, and no `session` collection.
  @Test(
    .enabled(if: Programs.exist("keepassxc") && Programs.exist("keepassxc-cli"), "KeePassXC is not installed"))
  func keePassXCKeepsASignInAsGnomeKeyringDoes() async throws {
    let afterFirstUnlock: VariantDictionary = [
      "keychain_account": "background", "keychain_accessibility": Accessibility.afterFirstUnlock.rawValue,
    ]
    // Each access token is due for a refresh when it is issued.
    let plan = World.Plan(keyring: .none, sandboxArguments: World.Plan.shortTokens.sandboxArguments)
    let world = try await World.begin(plan)
    let keepassxc = try await KeePassXC(in: world)
    let caller = try await world.signedInCaller()
    #expect(try await caller.send("one").contains("one"))

    // A new service process refreshes a token that another one stored.
    try await world.service.restart()
    #expect(try await caller.send("two").contains("two"))
    try await world.service.restart()
    #expect(try await caller.send("three").contains("three"))

    try await caller.signIn(at: caller.open("Session", afterFirstUnlock))
    let client = try await caller.open("Client", afterFirstUnlock)

    // The service reports the lock at once, because a search would wait for the password.
    try await keepassxc.lock()
    try await expectRefusal("Locked") { try await caller.send("four") }
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.send("four", at: client).contains("four"))
    // The copy is in the service's own memory and ends with it.
    try await world.service.restart()
    try await expectRefusal("Locked") { try await caller.send("four") }
    #expect(try await caller.state() == "signed-in")
    let again = try await caller.open("Client", afterFirstUnlock)
    try await expectRefusal("Locked") { try await caller.send("four", at: again) }
    try await keepassxc.unlock()
    #expect(try await caller.send("five").contains("five"))
    #expect(try await caller.send("five", at: again).contains("five"))

    try await caller.call("Session.SignOut", at: caller.open("Session", afterFirstUnlock))
    try await caller.call("Session.SignOut")
    #expect(try await caller.state() == "signed-out")
    #expect(try await world.keyring.items().isEmpty)
  }
}

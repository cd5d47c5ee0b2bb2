// SPDX-License-Identifier: Apache-2.0

/// A keyring before its first use has no default collection: a sign-in at a terminal has it create one.
@Suite(.worlds) @GLibActor
struct FirstCollectionTests {
  private func begin(_ user: FakeKeyring.User = .consents) async throws -> (World, FakeKeyring, Caller) {
    let world = try await World.begin(.fakeKeyring)
    let keyring = try await FakeKeyring(in: world)
    keyring.hasDefault = false
    keyring.user = user
    return (world, keyring, try await world.caller())
  }

  private func signIn(_ caller: Caller, interactive: Bool = true) async throws {
    try await caller.call("Session.StartDeviceCodeSignIn", VariantDictionary(), interactive: interactive)
  }

  @Test func aSignInThatMayAskHasItCreated() async throws {
    let (world, keyring, caller) = try await begin(.dismisses)
    _ = try? await caller.call("Session.SignOut", interactive: true)
    try await expectRefusal("KeyringUnavailable", saying: "a sign-in in the window or at a terminal") {
      try await signIn(caller, interactive: false)
    }
    #expect(keyring.questions == 0)
    // The rules for every prompt: a refusal is respected, and other programs may still ask.
    try await expectRefusal("Locked") { try await signIn(caller) }
    #expect(keyring.questions == 1)
    keyring.user = .isAway
    try await expectRefusal("KeyringUnavailable") { try await signIn(caller) }
    #expect(keyring.questions == 1)
    #expect(!keyring.hasDefault)

    // Two sign-ins cause one prompt.
    let other = try await world.otherProgram()
    let work = try await other.open("Session", ["keychain_account": "work"])
    async let first: Void = signIn(other)
    async let second = other.call(
      "Session.StartDeviceCodeSignIn", VariantDictionary(), at: work, interactive: true)
    try await eventually("the question") { keyring.questions == 2 }
    keyring.userReturns()
    try await first
    _ = try await second
    try await other.waitFor("linked", "Session.DeviceLinkState")
    #expect(keyring.hasDefault)
    #expect(keyring.questions == 2)
    #expect(try await other.send("hi").contains("hi"))
  }

  @Test func nobodyIsAskedOverALockedScreen() async throws {
    let (world, keyring, caller) = try await begin()
    _ = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    try await eventually("the lock") { try await caller.lock().state == "locked" }
    try await expectRefusal("KeyringUnavailable") { try await signIn(caller) }
    #expect(keyring.questions == 0)
  }

  // MARK: GNOME Keyring

  /// The keyring's own prompter asks for a password, and the person types one.
  @Test func gnomeKeyringCreatesItsFirstCollection() async throws {
    let world = try await World.begin(World.Plan(keyring: .none))
    try await world.keyring.start(isUnlocked: false)
    let prompter = try await Prompter(in: world, .types("password"))
    let output = try await world.chappie(
      "sign-in", "--device-code", "--no-open", at: [.sees("asks for a password"), .sees("Enter")])
    #expect(output.status == 0, "\(output.text)")
    #expect(output.text.contains("Signed in as ada@example.com"), "\(output.text)")
    #expect(prompter.prompts.count == 1, "\(prompter.prompts)")
    #expect(try await world.keyring.credentials().count == 1)
  }

  /// GNOME Keyring reports a prompter that goes away as a person who dismisses the prompt: that prompt is shown again.
  @Test func gnomeKeyringUnlocksItsCollection() async throws {
    let world = try await World.begin()
    // On a busy machine the prompt may be there for so long that somebody could have dismissed it.
    for attempt in 1...5 {
      try await world.keyring.lock()
      let prompter = try await Prompter(in: world, .losesPrompts(1, thenTypes: "password"))
      let output = try await world.chappie(
        "sign-in", "--device-code", "--no-open", at: [.sees("is locked"), .sees("Enter")])
      if attempt < 5, output.status != 0, prompter.prompts.count == 1 {
        try await prompter.end()
        continue
      }
      #expect(output.status == 0, "\(output.text)")
      #expect(prompter.prompts.count == 2, "\(prompter.prompts)")
      break
    }
  }

  /// The command says how to do it without a window.
  @Test(arguments: [true, false])
  func aDismissedPromptOfGnomeKeyringIsExplained(_ isFresh: Bool) async throws {
    let world = try await World.begin(World.Plan(keyring: .none))
    try await world.keyring.start(isUnlocked: !isFresh)
    if !isFresh { try await world.keyring.lock() }
    let prompter = try await Prompter(in: world, .dismisses)
    let output = try await world.chappie("sign-in", "--device-code", "--no-open", at: [])
    #expect(output.status == 4, "\(output.text)")
    #expect(prompter.prompts.count == 1, "\(prompter.prompts)")
    #expect(output.text.replacing(/\s+/, with: " ").contains("gnome-keyring-daemon --replace --unlock"))
  }

  /// What the command says works.
  @Test func theCommandForGnomeKeyringWorks() async throws {
    let world = try await World.begin(World.Plan(keyring: .none))
    try await world.keyring.start(isUnlocked: false)
    let refused = try await world.chappie("sign-in", "--device-code", "--no-open")
    #expect(refused.status == 4, "\(refused.text)")
    let command = try #require(refused.text.components(separatedBy: "Without its window: ").last)
    try await world.keyring.replace(with: command)
    let output = try await world.chappie("sign-in", "--device-code", "--no-open")
    #expect(output.status == 0, "\(output.text)")
  }
}

/// The prompter of GNOME Keyring, with a person in front of it: see `Tests/keyring/prompter.py`.
@GLibActor
final class Prompter {
  enum Person {
    case types(String)
    case dismisses
    /// The prompter goes away during its first prompts; the person types a password into the next.
    case losesPrompts(Int, thenTypes: String)
  }

  private static let name = "org.gnome.keyring.SystemPrompter"

  private let process: ChildProcess

  init(in world: World, _ person: Person) async throws {
    let arguments =
      switch person {
      case .types(let password): [password]
      case .dismisses: ["--dismiss"]
      case .losesPrompts(let count, let password): ["--vanish", "\(count)", password]
      }
    process = try ChildProcess(
      "prompter", "/usr/bin/python3", [SourceTree.path(of: "Tests/keyring/prompter.py")] + arguments,
      in: world.directories)
    world.adopt(ending: { [self] in try? await end() })
    let bus = try await BusConnection.open(address: world.directories.busAddress)
    try await eventually("the prompter") { [process] in
      guard process.end == nil else { throw UnmetCondition("a prompter; it wrote \(process.output)") }
      return try await bus.owner(of: Self.name) != nil
    }
  }

  func end() async throws {
    process.send(SIGKILL)
    _ = try await process.waitForEnd()
  }

  /// The prompts so far.
  var prompts: [Substring] { process.output.split(separator: "\n").filter { $0.hasPrefix("prompt ") } }
}

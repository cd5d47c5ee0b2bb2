// SPDX-License-Identifier: Apache-2.0

/// The key of stored threads in a real keyring.
@Suite(.worlds) @GLibActor
struct ThreadKeyTests {
  private static let plan = World.Plan(service: .none)
  private static let schema = "org.chappie.ThreadKey"

  /// A program that has asked for its key.
  private func program(in world: World, _ rule: Accessibility = .whenUnlocked) throws -> KeyWatcher {
    KeyWatcher(process: try world.startLibraryHost("thread-key", rule.rawValue))
  }

  @Test(arguments: Accessibility.allCases)
  func aKeyIsOneLineInTheKeyring(_ rule: Accessibility) async throws {
    let world = try await World.begin(Self.plan)
    let key = try await program(in: world, rule).key()
    #expect(try await program(in: world, rule).key() == key)
    let items = try await world.keyring.items(Self.schema)
    #expect(items.count == (rule == .whenUnlocked ? 1 : 2), "one, and its copy where there is one")
    for item in items {
      #expect(item.attributes["accessibility"] == rule.rawValue)
      #expect(item.attributes["service"] == "com.chappie.sdk")
      #expect(item.secret.allSatisfy { (0x21...0x7E).contains($0) })
    }
    #expect(try await world.keyring.items().isEmpty, "a key is no sign-in")

    // Another program reads the key while the screen and the keyring are locked, or does not.
    _ = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    try await world.keyring.lock()
    let late = try program(in: world, rule)
    if rule == .whenUnlocked {
      try await late.says(" is locked")
    } else {
      #expect(try await late.key() == key)
    }
  }

  /// No key is stored with an accessibility that forbids reading it back, and a program that has a key forgets it.
  @Test func aKeyIsNeitherMadeNorReadWhileLocked() async throws {
    let world = try await World.begin(Self.plan)
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    let program = try program(in: world)
    try await program.says("The screen is locked")
    #expect(try await world.keyring.items(Self.schema).isEmpty)
    saver.setActive(false)
    let key = try await program.key()
    saver.setActive(true)
    try await program.says("The screen is locked", times: 2)
    saver.setActive(false)
    try await program.says("key ", times: 2)
    try await world.keyring.lock()
    try await program.says("The keyring is locked")
    try await world.keyring.unlock()
    try await program.says("key ", times: 3)
    #expect(try await program.key() == key)
  }

  /// One store under both accessibilities: each applies to the programs that have chosen it.
  @Test func anAfterFirstUnlockKeyOpensNothingForOtherPrograms() async throws {
    let (world, caller, saver) = try await World.withScreen(World.Plan(), .afterFirstUnlock)
    let client = try await caller.open("Client", ["keychain_accessibility": Accessibility.afterFirstUnlock.rawValue])
    let thread = try await caller.createThread("One")
    // The programs run in turn: neither removes the other's key.
    for path in [client, .chappie, client, .chappie] { #expect(try await caller.threadIDs(at: path) == [thread]) }
    try await world.each([["screen"], ["keyring"], ["screen", "keyring"]]) { locks in
      if locks.contains("screen") { saver.setActive(true) }
      if locks.contains("keyring") { try await world.keyring.lock() }
      try await caller.waitFor(Lock("locked", locks.map { $0 == "screen" ? saver.name : $0 }))
      for _ in 1...2 {
        #expect(try await caller.send("Go on", to: thread, at: client).contains("Go on"))
        #expect(try await caller.thread(thread, at: client).summary.title == "One")
        #expect(try await caller.threadIDs(at: client) == [thread])
        try await expectRefusal("Locked") { try await caller.thread(thread) }
        try await expectRefusal("Locked") { try await caller.threads() }
      }
      saver.setActive(false)
      try await world.keyring.unlock()
      try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
      for path in [client, .chappie] { #expect(try await caller.threadIDs(at: path) == [thread]) }
    }
  }
}

/// A program that repeatedly asks for its key.
@GLibActor
private struct KeyWatcher {
  let process: ChildProcess

  /// Its output so far, by line.
  private var lines: [Substring] { process.output.split(separator: "\n") }

  /// Waits until it has printed `text` so many times.
  func says(_ text: String, times: Int = 1) async throws {
    try await eventually("'\(text)' of a program that wrote \(process.output)") {
      lines.count { $0.contains(text) } >= times
    }
  }

  /// A fingerprint of its last key.
  func key() async throws -> String {
    try await says("key ")
    return String(lines.last { $0.hasPrefix("key ") } ?? "")
  }
}

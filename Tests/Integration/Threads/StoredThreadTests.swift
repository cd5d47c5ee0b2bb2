// SPDX-License-Identifier: Apache-2.0

/// Threads that programs store in files, with their key in a real keyring.
@Suite(.worlds) @GLibActor
struct StoredThreadTests {
  /// A session in which programs have a sign-in.
  private func begin() async throws -> World {
    let world = try await World.begin(World.Plan(service: .none))
    try await world.library("sign-in", Accessibility.whenUnlocked.rawValue)
    return world
  }

  /// The output of a program that continues the newest thread.
  private func remember(_ text: String, in world: World, machineID: String? = nil) async throws -> String {
    try await output("remember", text, in: world, machineID: machineID)
  }

  private func output(
    _ verb: String, _ argument: String, in world: World, machineID: String? = nil
  ) async throws -> String {
    var command = [Binaries.libraryHost, world.sandbox.issuer, world.sandbox.backend, verb, argument]
    if let machineID { command = try ServiceProcess.posing(as: machineID, in: world.directories) + command }
    let process = try ChildProcess(verb, command[0], Array(command.dropFirst()), in: world.directories)
    world.adopt(process)
    try await eventually("the end of a program") { process.end != nil }
    return process.output
  }

  @Test func oneProgramContinuesAnothersThread() async throws {
    let world = try await begin()
    let first = try await remember("My name is Brunhilde", in: world)
    #expect(first.contains("1 message"))
    #expect(try await remember("Who am I?", in: world).contains("3 messages"))
    #expect(try await world.keyring.items("org.chappie.ThreadKey").count == 1)

    // Nothing is read, sent or deleted while the keyring is locked, or the screen.
    try await world.keyring.lock()
    #expect(try await remember("Two", in: world).contains("The keyring is locked"))
    #expect(try await output("delete-all", "", in: world).contains("The keyring is locked"))
    try await world.keyring.unlock()
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    #expect(try await remember("Two", in: world).contains("The screen is locked"))
    #expect(try await world.sandbox.state().requests["responses"] == 2)
    saver.setActive(false)
    #expect(try await remember("Are you sure?", in: world).contains("5 messages"))

    // Deleting the key makes the threads unreadable for good.
    let host = try world.startLibraryHost("destroy", Accessibility.whenUnlocked.rawValue)
    try await eventually("the end of the key") { host.output.contains("destroyed") }
    for _ in 1...2 {
      #expect(try await remember("Two", in: world).contains("The key of the stored threads is missing"))
    }
    #expect(try await world.keyring.items("org.chappie.ThreadKey").isEmpty)
    #expect(try await world.sandbox.state().requests["responses"] == 3)
  }

  @Test(.enabled(if: ServiceProcess.mayPoseAsAnotherMachine, "only root can give a program a machine id"))
  func aCopiedHomeCannotBeReadElsewhereAndCanStartANewStore() async throws {
    let world = try await begin()
    _ = try await remember("One", in: world)
    let elsewhere = "0123456789abcdef0123456789abcdef\n"
    #expect(try await remember("Two", in: world, machineID: elsewhere).contains("made on another device"))
    #expect(try await remember("Two", in: world).contains("3 messages"))
    #expect(try await output("delete-all", "", in: world, machineID: elsewhere) == "deleted\n")
    #expect(try await world.keyring.items("org.chappie.ThreadKey").isEmpty)
    #expect(try !world.directories.files().keys.contains { $0.hasSuffix("/threads.db") })
    #expect(try await remember("Three", in: world).contains("1 message"))
  }

  /// No caller uses the store meanwhile.
  @Test func titlesLeaveMemoryWithTheLock() async throws {
    let world = try await begin()
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    try await world.each(["screen", "keyring"]) { lock in
      let host = try world.startLibraryHost("titles", "A walk")
      try await eventually("the title") { host.output.contains("in memory") }
      if lock == "screen" { saver.setActive(true) } else { try await world.keyring.lock() }
      try await eventually("the title to be removed") { host.output.contains("in no memory") }
      await host.terminate()
      if lock == "screen" { saver.setActive(false) } else { try await world.keyring.unlock() }
    }
  }
}

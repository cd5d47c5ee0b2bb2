// SPDX-License-Identifier: Apache-2.0

/// `chappie erase` signs out, and leaves nothing behind.
@Suite(.worlds) @GLibActor
struct EraseTests {
  /// The directories that Chappie keeps files in.
  private func directories(of world: World) -> [URL] {
    let files = world.directories
    return [files.configuration, files.data, files.home.appending(path: ".state"), files.runtime].map {
      $0.appending(path: "chappie")
    }
  }

  private func exist(_ files: [URL]) -> [Bool] { files.map { FileManager.default.fileExists(atPath: $0.path) } }

  /// Two accounts, a thread and a configuration.
  private func fill(_ world: World) async throws -> Caller {
    try world.directories.configure("[Notifications]\nEnabled=true\n")
    let caller = try await world.signedInCaller()
    try await caller.signIn(account: "work")
    _ = try await world.beginThread("Something to forget")
    #expect(exist(directories(of: world)) == [true, true, true, true])
    return caller
  }

  @Test func everythingIsRemoved() async throws {
    let world = try await World.begin()
    _ = try await fill(world)
    // Links are removed, and what they lead to is not.
    let precious = world.directories.home.appending(path: "precious")
    try FileManager.default.createDirectory(at: precious, withIntermediateDirectories: false)
    try Data("x".utf8).write(to: precious.appending(path: "file"))
    try FileManager.default.createSymbolicLink(
      at: world.directories.configuration.appending(path: "chappie/link"), withDestinationURL: precious)
    for name in ["a", "b"] { try await world.chappie("tools", "secret", name, input: "1").expect(0) }
    try await world.chappie("erase", "--yes")
      .expect(
        0, "Signed out “default”.", "Signed out “work”.", "Deleted the threads of “default”.",
        "Removed ~/.config/chappie.", "Removed 2 secrets of MCP servers from the keyring.")
    let file = precious.appending(path: "file")
    #expect(exist(directories(of: world) + [file]) == [false, false, false, false, true])
    #expect(try await world.keyring.items().isEmpty)
    #expect(try await world.keyring.items("org.chappie.ThreadKey").isEmpty)
    let state = try await world.sandbox.state()
    #expect(state.liveRefreshTokens == 0)
    #expect(state.revokedRefreshTokens == 2)
    #expect(try await world.chappie("tools", "secret", "--remove", "a").status == 1)
    // The service has ended: nothing is written again.
    let process = try #require(world.service.process)
    #expect(try await process.waitForEnd() == .exit(0))
    // Erasing twice is no failure.
    try await world.service.restart()
    let again = try await world.chappie("erase", "--yes")
    #expect(again.status == 0 && !again.text.contains("Signed out"), "\(again.text)")
    world.service.acceptEnd()
  }

  /// A sandboxed app may not erase what belongs to the user, who erases also what the app has stored.
  @Test(.sandboxes)
  func aSandboxedAppCannotErase() async throws {
    let world = try await World.begin()
    let app = try await world.caller(app: "org.example.App")
    try await app.signIn(at: try await app.open("Session"))
    let options = VariantDictionary()
    try await expectRefusal("AccessDenied") { try await app.call("Manager.Erase", options) }
    try await expectRefusal("AccessDenied") { try await app.call("Manager.CheckServers") }
    #expect(try await world.keyring.items().count == 1)
    try await world.chappie("erase", "--yes").expect(0, "Signed out “default” of org.example.App.")
    #expect(try await world.keyring.items().isEmpty)
    #expect(try await world.sandbox.state().liveRefreshTokens == 0)
    world.service.acceptEnd()
  }

  @Test func nothingIsRemovedUnlessThePersonAgreesAndTheKeyringAnswers() async throws {
    let world = try await World.begin()
    _ = try await fill(world)
    try await world.chappie("erase", at: [.sees("[y/N]"), .types("n\n")]).expect(1, "Nothing was erased.")
    try await world.chappie("erase").expect(2, "give --yes")
    try await world.keyring.lock()
    try await world.chappie("erase", "--yes").expect(4, "Nothing was erased. The keyring is locked")
    try await world.keyring.unlock()
    // A keyring that answers later can still have its secrets erased.
    world.keyring.freeze()
    let silent = try await world.chappie("erase", "--yes")
    world.keyring.thaw()
    #expect(silent.status == 4, "\(silent.text)")
    #expect(silent.text.contains("Nothing was erased."), "\(silent.text)")
    #expect(try await world.keyring.credentials().count == 2)
    #expect(exist(directories(of: world)) == [true, true, true, true])
    try await world.chappie("erase", at: [.sees("[y/N]"), .types("y\n"), .sees("Signed out")]).expect(0)
    #expect(exist(directories(of: world)) == [false, false, false, false])
    world.service.acceptEnd()
  }

  /// It would store a credential after everything was erased.
  @Test func aRunningSignInEnds() async throws {
    let world = try await World.begin(.attended)
    let caller = try await world.caller()
    _ = try await caller.startSignIn()
    #expect(try await world.chappie("erase", "--yes").status == 0)
    try await eventually("the end of the sign-in") {
      try caller.changedValues("DeviceLinkState", of: "Session", as: String.self).contains("cancelled")
    }
    #expect(try await world.keyring.items().isEmpty)
    world.service.acceptEnd()
  }

  /// A program may sign in again while the server revokes the others.
  @Test func aSignInDuringTheErasureIsErasedToo() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.play(#"[{"endpoint":"revoke","hold":true}]"#)
    async let erased = world.chappie("erase", "--yes")
    try await eventually("the revocation") { try await world.sandbox.state().requests["revoke"] == 1 }
    try await caller.signIn(at: try await caller.open("Session", ["keychain_account": "work"]))
    try await world.sandbox.release()
    let output = try await erased
    #expect(output.status == 0, "\(output.text)")
    #expect(output.text.contains("Signed out “work”."), "\(output.text)")
    #expect(try await world.keyring.items().isEmpty)
    #expect(try await world.sandbox.state().liveRefreshTokens == 0)
    world.service.acceptEnd()
  }

  @Test func nothingIsRemovedWhileTheKeyringHidesItsItemsOrTheServiceIsStopped() async throws {
    let world = try await World.begin()
    _ = try await fill(world)
    // A restarted keyring that is locked shows no items.
    await world.keyring.kill()
    try await world.keyring.start(isUnlocked: false)
    try await world.chappie("erase", "--yes").expect(4)
    #expect(exist(directories(of: world)) == [true, true, true, true])
    try await world.keyring.unlock()
    #expect(try await world.keyring.credentials().count == 2)
    // It takes the deadline of a call, 25 s.
    let service = try #require(world.service.process)
    service.send(SIGSTOP)
    let stopped = try await world.chappie("erase", "--yes")
    service.send(SIGCONT)
    #expect(stopped.status == 5, "\(stopped.text)")
    #expect(stopped.text.contains("Nothing was erased. There was no answer in time."), "\(stopped.text)")
    #expect(exist(directories(of: world)) == [true, true, true, true])
  }

  /// As on a desktop where nothing was ever stored.
  @Test func aKeyringWithoutACollectionHasNothingToRemove() async throws {
    let world = try await World.begin(World.Plan(keyring: .none))
    try await world.keyring.start(isUnlocked: false)
    let output = try await world.chappie("erase", "--yes")
    #expect(output.status == 0, "\(output.text)")
    #expect(!output.text.contains("chappie: "), "\(output.text)")
    world.service.acceptEnd()
  }

  /// The credential is gone, and the person learns that it may stay valid.
  @Test func aMissingRevocationIsReported() async throws {
    let (world, _) = try await World.signedIn()
    await world.sandbox.end()
    try await world.chappie("erase", "--yes").expect(12, "Signed out “default”.", "it may stay valid there")
    #expect(try await world.keyring.items().isEmpty)
    #expect(exist(directories(of: world)) == [false, false, false, false])
    world.service.acceptEnd()
  }

  /// The package was removed first: the credential can be ended later only with the key of this device.
  @Test func withoutAServiceTheKeyOfTheDeviceStays() async throws {
    let world = try await World.begin()
    _ = try await fill(world)
    await world.service.end()
    try await world.chappie("erase", "--yes")
      .expect(5, "What is in the keyring stays there.", "~/.state/chappie was kept")
    #expect(exist(directories(of: world)) == [false, false, true, false])
    try await world.service.restart()
    #expect(try await world.chappie("erase", "--yes").status == 0)
    #expect(exist(directories(of: world)) == [false, false, false, false])
    #expect(try await world.sandbox.state().liveRefreshTokens == 0)
    world.service.acceptEnd()
  }
}

// SPDX-License-Identifier: Apache-2.0

/// Stored items are sealed with this device's key, which is in a file of the user's.
@Suite(.worlds) @GLibActor
struct DeviceKeyTests {
  private func attributes(of file: URL) throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: file.path)
  }

  /// The keyring and the machine are the same, and the state directory differs, as with a keyring that was copied from
  /// its file.
  @Test func aKeyringWithoutItsDeviceKeyGivesNoSignIn() async throws {
    let (world, caller) = try await World.signedIn()
    _ = try await caller.send("hello", to: caller.createThread("Kept"))
    let file = world.directories.deviceKey
    #expect(try attributes(of: file)[.posixPermissions] as? Int == 0o600)
    let kept = try Data(contentsOf: file)
    await world.service.end()
    try FileManager.default.removeItem(at: world.directories.state)
    try await world.service.restart()

    #expect(try await caller.state() == "signed-out")
    #expect(
      try await caller.lastError().text("message")?.contains("the key of this device is gone: sign in again") == true)
    try await expectRefusal("MissingCredential") { try await caller.send("hi") }
    #expect(try await world.sandbox.state().requests["responses"] == 1)
    #expect(!FileManager.default.fileExists(atPath: file.path), "reading creates no key")
    let unread = try await refusal { try await caller.threads() }
    #expect(unread.message.contains("the key of this device is gone"))

    // Another key counts as another device: the sign-in works, and the threads of the old device are unreadable.
    try await caller.signIn()
    #expect(try await caller.send("there").contains("there"))
    let fresh = try Data(contentsOf: file)
    #expect(fresh.count == 32 && fresh != kept)
    #expect(try await refusal { try await caller.threads() }.message == unread.message)

    // With the old key back, the new sign-in belongs to another device, and the threads are readable again.
    try kept.write(to: file)
    try await world.service.restart()
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.threads().count == 1)
  }

  /// Anything else in the key's place is refused and not replaced, and no account is signed out because of it.
  @Test func anInvalidKeyFileIsRefusedWithTheReason() async throws {
    let (world, caller) = try await World.signedIn()
    let file = world.directories.deviceKey
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let before = try attributes(of: file) as NSDictionary
    for _ in 0..<2 {
      try await expectRefusal("KeyringUnavailable", saying: file.path) { try await caller.send("hi") }
      try await world.service.restart()
    }
    #expect(try await caller.state() == "signed-in")
    try await expectRefusal("KeyringUnavailable") { try await caller.startSignIn() }
    #expect(try attributes(of: file) as NSDictionary == before)
    #expect(try await world.keyring.items().count == 1)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    #expect(try await caller.send("again").contains("again"))
  }
}

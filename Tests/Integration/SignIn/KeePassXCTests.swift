// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The service with KeePassXC instead of gnome-keyring: a prompt for every operation, and no `session` collection.
@Suite(
  .worlds, .enabled(if: Programs.exist("keepassxc") && Programs.exist("keepassxc-cli"), "KeePassXC is not installed"))
@GLibActor
struct KeePassXCTests {
  private static let afterFirstUnlock: VariantDictionary = [
    "keychain_account": "background", "keychain_accessibility": "after-first-unlock-this-device-only",
  ]
  /// Each access token is due for a refresh when it is issued.
  private let plan = World.Plan(keyring: .none, sandboxArguments: World.Plan.shortTokens.sandboxArguments)

  @Test func aSignInIsKeptAsWithGnomeKeyring() async throws {
    try await World.with(plan) { world in
      let keepassxc = try await KeePassXC(in: world, confirmsAccess: false)
      let caller = try await world.signedInCaller()
      #expect(try await caller.send("one").contains("one"))

      // A new service process refreshes a token that another one stored.
      try await world.service.restart()
      #expect(try await caller.send("two").contains("two"))
      try await world.service.restart()
      #expect(try await caller.send("three").contains("three"))

      try await caller.signIn(at: caller.open("Session", Self.afterFirstUnlock))
      let client = try await caller.open("Client", Self.afterFirstUnlock)

      // The service reports the lock at once, because a search would wait for the password.
      try await keepassxc.lock()
      try await expectRefusal("Locked") { try await caller.send("four") }
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("four", at: client).contains("four"))
      // The copy is in the service's own memory and ends with it.
      try await world.service.restart()
      try await expectRefusal("Locked") { try await caller.send("four") }
      #expect(try await caller.state() == "signed-in")
      let again = try await caller.open("Client", Self.afterFirstUnlock)
      try await expectRefusal("Locked") { try await caller.send("four", at: again) }
      try await keepassxc.unlock()
      #expect(try await caller.send("five").contains("five"))
      #expect(try await caller.send("five", at: again).contains("five"))

      try await caller.call("Session.SignOut", at: caller.open("Session", Self.afterFirstUnlock))
      try await caller.call("Session.SignOut")
      #expect(try await caller.state() == "signed-out")
      #expect(try await world.keyring.items().isEmpty)
    }
  }

  /// KeePassXC sees a restarted service as another program. It shows no prompt that a caller did not allow.
  @Test func anItemThatNeedsConfirmationIsReportedAsLocked() async throws {
    try await World.with(plan) { world in
      let keepassxc = try await KeePassXC(in: world, confirmsAccess: true)
      let caller = try await world.signedInCaller()
      #expect(try await caller.send("one").contains("one"))
      try await world.service.restart()
      try await expectRefusal("Locked") { try await caller.send("two") }
      #expect(try await caller.state() == "signed-in")
      withExtendedLifetime(keepassxc) {}
    }
  }
}

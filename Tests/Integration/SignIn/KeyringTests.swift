// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A locked, missing or silent keyring signs no account out.
@Suite(.worlds) @GLibActor
struct KeyringTests {
  @Test func aLockedKeyringRefusesTurnsUntilItIsUnlocked() async throws {
    try await World.signedIn { world, caller in
      try await world.keyring.lock()
      let refused = try await refusal { try await caller.send("hi") }
      #expect(refused.name == "Locked")
      #expect(refused.message.contains("unlock"))
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().failure.name == "Locked")
      #expect(turn.endCount == 1)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().text("name") == "org.chappie.Error.Locked")
      #expect(try await world.sandbox.state().requests["responses"] == 0)

      try await world.keyring.unlock()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.lastError().isEmpty)
      #expect(caller.signals("StateChanged").count == 2, "the sign-in alone changed the state")
    }
  }

  @Test func aServiceStartedWithALockedKeyringStaysSignedIn() async throws {
    try await World.signedIn { world, caller in
      try await world.keyring.lock()
      try await world.service.restart()
      // The credential exists, and its owner cannot be read.
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.property("Session.AccountInfo", as: VariantDictionary.self).isEmpty)
      try await expectRefusal("Locked") { try await caller.send("hi") }
      try await world.keyring.unlock()
      #expect(try await caller.send("hi").contains("hi"))
      let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
      #expect(account.text("email") == "ada@example.com")
    }
  }

  /// The request runs before the keyring is locked, so its answer arrives.
  @Test func anAnswerCompletesWhenTheKeyringIsLocked() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two three","delta_delay_ms":400}]"#)
      let turn = try await caller.stream("hi")
      try await caller.signal("TextDelta")
      try await world.keyring.lock()
      #expect(try await turn.end().answer.text == "one two three")
    }
  }

  /// The server has rotated the token and the keyring cannot take it: it must not be lost.
  @Test func aRefreshIsStoredAfterTheKeyringIsUnlocked() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.expireAccessTokens()
      try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":3000}]"#)
      async let refused = refusal { try await caller.send("hi") }
      try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
      try await world.keyring.lock()
      #expect(try await refused.name == "Locked")
      #expect(try await caller.state() == "signed-in")
      try await world.keyring.unlock()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
      #expect(try await world.keyring.credentials().count == 1)
      try await world.service.restart()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  /// A restarted keyring that is locked shows no items, which is no proof that there are none.
  @Test func aSignOutFailsWhileTheKeyringHidesItsItems() async throws {
    try await World.signedIn { world, caller in
      await world.keyring.kill()
      try await world.keyring.start(isUnlocked: false)
      try await expectRefusal("Locked") { try await caller.call("Session.SignOut") }
      try await world.keyring.unlock()
      #expect(try await world.keyring.credentials().count == 1)
      try await caller.call("Session.SignOut")
      #expect(try await world.keyring.credentials().isEmpty)
      try await eventually("the revocation") { try await world.sandbox.state().liveRefreshTokens == 0 }
    }
  }

  @Test func aRestartedKeyringIsUsedAgain() async throws {
    try await World.signedIn { world, caller in
      await world.keyring.kill()
      let refused = try await refusal { try await caller.send("hi") }
      #expect(refused.name == "KeyringUnavailable")
      #expect(refused.message.hasPrefix("The keyring cannot be used"))
      try await expectRefusal("KeyringUnavailable") { try await caller.call("Session.SignOut") }
      #expect(try await caller.state() == "signed-in")
      try await world.keyring.start()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.lastError().isEmpty)
    }
  }

  @Test func aMissingKeyringIsReported() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      let caller = try await world.caller()
      // The state is unknown, and LastError says why.
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.lastError().text("name") == "org.chappie.Error.KeyringUnavailable")
      try await expectRefusal("KeyringUnavailable") { try await caller.send("hi") }
      try await expectRefusal("KeyringUnavailable") { try await caller.startSignIn() }
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
  }

  /// The state becomes correct without a use of the sign-in.
  @Test func aKeyringIsNoticedWhenItStartsOrIsUnlocked() async throws {
    try await World.signedIn { world, caller in
      await world.keyring.end()
      try await world.service.restart()
      // The service remembers that a credential exists, and cannot read its owner.
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().text("name") == "org.chappie.Error.KeyringUnavailable")
      try await world.keyring.start()
      try await eventually("the account") {
        let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
        return account.text("email") == "ada@example.com"
      }
      #expect(try await caller.lastError().isEmpty)

      try await world.keyring.lock()
      try await world.service.restart()
      #expect(try await caller.lastError().text("name") == "org.chappie.Error.Locked")
      try await world.keyring.unlock()
      try await eventually("the account") {
        let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
        return account.text("email") == "ada@example.com"
      }
      #expect(try await caller.lastError().isEmpty)
    }
  }

  /// The credential exists, and the keyring starts after the service: no new sign-in is needed.
  @Test func theKeyringMayStartAfterTheService() async throws {
    try await World.signedIn { world, caller in
      await world.keyring.end()
      try await world.service.restart()
      try await expectRefusal("KeyringUnavailable") { try await caller.send("hi") }
      try await world.keyring.start()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.state() == "signed-in")
    }
  }

  /// The keyring owns its name and answers nothing.
  @Test func aSilentKeyringIsReported() async throws {
    try await World.signedIn { world, caller in
      world.keyring.freeze()
      try await expectRefusal("KeyringUnavailable") { try await caller.send("hi") }
      #expect(try await caller.state() == "signed-in")
      world.keyring.thaw()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A locked or missing keyring signs no account out.
@Suite(.worlds) @GLibActor
struct KeyringTests {
  @Test func aLockedKeyringRefusesTurnsUntilItIsUnlocked() async throws {
    try await World.signedIn { world, caller in
      // A request that runs before the keyring is locked gets its answer.
      try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two three","delta_delay_ms":400}]"#)
      let running = try await caller.stream("hi")
      try await caller.signal("TextDelta")
      try await world.keyring.lock()
      let refused = try await refusal { try await caller.send("hi") }
      #expect(refused.name == "Locked")
      #expect(refused.message.contains("unlock"))
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().failure.name == "Locked")
      #expect(turn.endCount == 1)
      #expect(try await running.end().answer.text == "one two three")
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().text("name") == "org.chappie.Error.Locked")
      #expect(try await world.sandbox.state().requests["responses"] == 1)

      try await world.keyring.unlock()
      // Without a screen source the keyring decides.
      try await caller.waitFor(Lock("unknown", ["keyring"]))
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.lastError().isEmpty)
      #expect(caller.signals("StateChanged").count == 2, "the sign-in alone changed the state")

      try await world.keyring.lock()
      try await world.service.restart()
      // The credential exists, and its owner cannot be read.
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.email() == nil)
      #expect(try await caller.lastError().text("name") == "org.chappie.Error.Locked")
      // No program can show gnome-keyring's prompt here.
      let asked = try await refusal {
        try await caller.call("Client.Send", "hi", VariantDictionary(), interactive: true)
      }
      #expect(["Locked", "KeyringUnavailable"].contains(asked.name), "\(asked)")
      try await expectRefusal("Locked") { try await caller.send("hi") }
      try await world.keyring.unlock()
      // The state becomes correct without a use of the sign-in.
      try await eventually("the account") { try await caller.email() == "ada@example.com" }
      #expect(try await caller.lastError().isEmpty)
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  @Test func aRestartedKeyringIsUsedAgain() async throws {
    try await World.signedIn { world, caller in
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
      let refused = try await refusal { try await caller.send("hi") }
      #expect(refused.name == "KeyringUnavailable")
      #expect(refused.message.hasPrefix("The keyring cannot be used"))
      try await expectRefusal("KeyringUnavailable") { try await caller.call("Session.SignOut") }
      #expect(try await caller.state() == "signed-in")
      // It is locked and shows no items, which is no proof that there are none.
      try await world.keyring.start(isUnlocked: false)
      try await expectRefusal("Locked") { try await caller.call("Session.SignOut") }
      try await world.keyring.unlock()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.lastError().isEmpty)
      #expect(try await world.keyring.credentials().count == 1)
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
  }

  /// The state becomes correct without a use of the sign-in.
  @Test func aKeyringIsNoticedWhenItStarts() async throws {
    try await World.signedIn { world, caller in
      await world.keyring.end()
      try await world.service.restart()
      // The service remembers that a credential exists, and cannot read its owner.
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().text("name") == "org.chappie.Error.KeyringUnavailable")
      try await expectRefusal("KeyringUnavailable") { try await caller.send("hi") }
      try await world.keyring.start()
      try await eventually("the account") { try await caller.email() == "ada@example.com" }
      #expect(try await caller.lastError().isEmpty)
      #expect(try await caller.send("hi").contains("hi"))
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// `when-unlocked-this-device-only`: readable only while the keyring is unlocked and the screen is not locked.
@Suite(.worlds) @GLibActor
struct WhenUnlockedTests {
  // MARK: Refused

  @Test func aTurnIsRefusedWhileTheScreenIsLocked() async throws {
    let (world, caller, saver) = try await World.withScreen()
    #expect(try await caller.send("before").contains("before"))
    #expect(try await caller.availability() == ["can", "none", ""])
    try await saver.lock(caller)
    #expect(try await caller.availability() == ["cannot", "wait", "Locked"])
    let refused = try await refusal { try await caller.send("locked") }
    #expect(refused.name == "Locked")
    #expect(refused.message == "The screen is locked: unlock it and try again.")
    let turn = try await caller.stream("locked")
    #expect(try await turn.end().failure.name == "Locked")
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.Locked")
    #expect(try await world.sandbox.state().requests["responses"] == 1)

    try await saver.unlock(caller)
    #expect(try await caller.send("after").contains("after"))
    #expect(try await caller.lastError().isEmpty)
    let actions = try caller.changedValues("Availability", of: "Session", as: VariantDictionary.self)
    #expect(actions.compactMap { $0.text("action") }.suffix(2) == ["wait", "none"])
    #expect(caller.signals("StateChanged").count == 2, "the sign-in alone changed the state")
  }

  @Test func aTurnIsRefusedWhileTheMachineSleeps() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let logind = try Logind(world)
    try await logind.start()
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.signedInCaller()
    // The other accessibility does not depend on it.
    try await caller.signIn(.afterFirstUnlock, account: "work")
    let work = try await caller.open("Client", ["keychain_account": "work"])
    try await logind.prepareForSleep(true)
    try await caller.waitFor(Lock("locked", ["logind"]))
    try await expectRefusal("Locked") { try await caller.send("asleep") }
    #expect(try await world.sandbox.state().requests["responses"] == 0)
    #expect(try await caller.send("asleep", at: work).contains("asleep"))
    #expect(try await caller.state() == "signed-in")
    try await logind.prepareForSleep(false)
    try await caller.waitFor(Lock("unknown", ["keyring"]))
    #expect(try await caller.send("awake").contains("awake"))
  }

  /// Both must be unlocked.
  @Test func aTurnIsRefusedWhileEitherIsLocked() async throws {
    // Nor is a token refreshed, although it is due.
    let (world, caller, saver) = try await World.withScreen(.shortTokens)
    try await world.keyring.lock()
    #expect(try await refusal { try await caller.send("hi") }.message.contains("keyring"))
    saver.setActive(true)
    try await caller.waitFor(Lock("locked", [saver.name, "keyring"]))
    try await expectRefusal("Locked") { try await caller.send("hi") }
    try await world.keyring.unlock()
    try await caller.waitFor(Lock("locked", [saver.name]))
    #expect(try await refusal { try await caller.send("hi") }.message.contains("screen"))
    // The credential exists, and its owner stays unknown until the screen is unlocked.
    try await world.service.restart()
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.email() == nil)
    try await expectRefusal("Locked") { try await caller.send("hi") }
    #expect(try await world.sandbox.state().requests["refresh"] == 0)
    try await saver.unlock(caller)
    try await eventually("the account") { try await caller.email() == "ada@example.com" }
    #expect(try await caller.lastError().isEmpty)
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().requests["refresh"] == 1)
  }

  @Test func whatRunsCompletesWhenTheScreenLocks() async throws {
    let (world, caller, saver) = try await World.withScreen()
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two three","delta_delay_ms":1000}]"#)
    let turn = try await caller.stream("hi")
    try await caller.signal("TextDelta")
    try await saver.lock(caller)
    try await expectRefusal("Locked") { try await caller.send("another") }
    #expect(try await turn.end().answer.text == "one two three")
    #expect(try await caller.state() == "signed-in")
    try await saver.unlock(caller)

    // The screen locks before the head of the answer has arrived.
    try await world.sandbox.play(#"[{"endpoint":"responses","delay_ms":2000}]"#)
    async let early = caller.send("under way")
    try await eventually("the request") { try await world.sandbox.state().requests["responses"] == 2 }
    try await saver.lock(caller)
    #expect(try await early.contains("under way"))
    try await saver.unlock(caller)

    // The server has rotated the token: its answer is stored, and the turn goes on with it.
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":2000}]"#)
    async let answer = caller.send("under way")
    try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
    try await saver.lock(caller)
    #expect(try await answer.contains("under way"))
    try await world.service.restart()
    try await saver.unlock(caller)
    #expect(try await caller.send("later").contains("later"))
    #expect(try await world.sandbox.state().requests["refresh"] == 1)
  }

  @Test func withoutAScreenSourceAConfigurationCanRefuse() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    try world.directories.configure("[Lock]\nUnknown=deny\n")
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.signedInCaller()
    try await expectRefusal("Locked", saying: "Unknown=deny") { try await caller.send("hi") }
    #expect(try await caller.state() == "signed-in")
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
    #expect(try await caller.send("hi").contains("hi"))
    try await saver.leave()
    try await caller.waitFor(Lock("unknown", ["keyring"]))
    try await expectRefusal("Locked") { try await caller.send("hi") }
    // The other accessibility does not depend on the screen.
    try await caller.signIn(.afterFirstUnlock)
    #expect(try await caller.send("hi").contains("hi"))
  }
}

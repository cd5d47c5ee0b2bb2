// SPDX-License-Identifier: Apache-2.0

/// `LockState` and `LockSources`: the screen savers of the session bus, and the keyring.
@Suite(.worlds) @GLibActor
struct LockStateTests {
  private let alone = World.Plan(service: .none)

  // MARK: The keyring alone

  @Test func theStateFollowsTheKeyring() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    #expect(try await caller.lock() == Lock("unknown", ["keyring"]))
    try await world.keyring.lock()
    try await caller.waitFor(Lock("locked", ["keyring"]))
    try await world.keyring.unlock()
    try await caller.waitFor(Lock("unknown", ["keyring"]))
    try await caller.catchUp()
    let values = try caller.changedValues("LockState", of: "Manager", as: String.self)
    #expect(values == ["locked", "unknown"])
    await world.keyring.end()
    try await caller.waitFor(Lock("unknown", []))
    try await world.keyring.start()
    try await caller.waitFor(Lock("unknown", ["keyring"]))
  }

  /// The keyring has not been unlocked since login. After its first unlock a restart of the service remembers it; the
  /// end of the keyring's daemon forgets it.
  @Test func theStateIsBeforeFirstUnlockUntilTheKeyringIsUnlocked() async throws {
    let world = try await World.begin(alone)
    await world.keyring.end()
    try await world.keyring.start(isUnlocked: false)
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.caller()
    let never = Lock("before-first-unlock", ["keyring"])
    #expect(try await caller.lock() == never)
    try await world.service.restart()
    #expect(try await caller.lock() == never)

    try await world.keyring.unlock()
    try await caller.waitFor(Lock("unknown", ["keyring"]))
    try await world.keyring.lock()
    try await caller.waitFor(Lock("locked", ["keyring"]))
    try await world.service.restart()
    #expect(try await caller.lock() == Lock("locked", ["keyring"]))

    await world.keyring.end()
    try await world.keyring.start(isUnlocked: false)
    try await caller.waitFor(never)
    try await world.service.restart()
    #expect(try await caller.lock() == never)
  }

  // MARK: Screen savers

  @Test func screenSaversMayComeAndGo() async throws {
    try await World.with(each: ScreenSaver.names) { world, name in
      let caller = try await world.caller()
      #expect(try await caller.lock() == Lock("unknown", ["keyring"]))
      let saver = try await ScreenSaver(name, in: world)
      try await caller.waitFor(Lock("unlocked", [name, "keyring"]))
      // Signals from a program without the name are ignored.
      try await saver.leave()
      try await caller.waitFor(Lock("unknown", ["keyring"]))
      saver.setActive(true)
      try await caller.catchUp()
      #expect(try await caller.lock() == Lock("unknown", ["keyring"]))
      try await saver.takeName()
      try await caller.waitFor(Lock("locked", [name]))
      // A new service reads the state.
      try await world.service.restart()
      #expect(try await caller.lock() == Lock("locked", [name]))
      saver.setActive(false)
      try await caller.waitFor(Lock("unlocked", [name, "keyring"]))
      saver.setActive(true)
      try await caller.waitFor(Lock("locked", [name]))
      // Another program takes over the name.
      let other = try await ScreenSaver(name, in: world)
      try await caller.waitFor(Lock("unlocked", [name, "keyring"]))
      // Signals from the program that had it are ignored.
      saver.setActive(false)
      saver.setActive(true)
      try await caller.catchUp()
      #expect(try await caller.lock() == Lock("unlocked", [name, "keyring"]))
      try await other.leave()
      try await caller.waitFor(Lock("unknown", ["keyring"]))
    }
  }

  /// The other sources are read within the deadline of the silent one, and the state is without it.
  @Test func aSilentScreenSaverDoesNotDelayTheState() async throws {
    let world = try await World.begin(alone)
    let silent = try await ScreenSaver("org.freedesktop.ScreenSaver", in: world, .silent)
    let gnome = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.caller()
    #expect(try await caller.lock() == Lock("locked", [ScreenSaver.gnome]))
    gnome.setActive(false)
    try await caller.waitFor(Lock("unlocked", [ScreenSaver.gnome, "keyring"]))
    try await caller.signIn()
    #expect(try await caller.send("hi").contains("hi"))
    try await gnome.leave()
    try await world.service.restart()
    #expect(try await caller.lock() == Lock("unknown", ["keyring"]))
    // It begins to answer.
    silent.setActive(true)
    try await caller.waitFor(Lock("locked", ["org.freedesktop.ScreenSaver"]))
  }

  /// A locker may be slow while a person logs in.
  @Test func aLateAnswerOfAScreenSaverCounts() async throws {
    let world = try await World.begin(alone)
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world, .answersLate, isActive: true)
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.caller()
    #expect(try await caller.lock() == Lock("unknown", ["keyring"]))
    saver.answersNow.finish()
    try await caller.waitFor(Lock("locked", [ScreenSaver.gnome]))
  }

  /// The reply to a query and the signal of a newer state may arrive together.
  @Test func theNewestStateOfAScreenSaverCounts() async throws {
    let world = try await World.begin(alone)
    let caller = try await world.caller()
    // GNOME also owns freedesktop's name for inhibitors, and refuses all other calls there.
    _ = try await ScreenSaver("org.freedesktop.ScreenSaver", in: world, .refuses)
    try await world.service.start(world.sandbox.addresses)
    #expect(try await caller.lock() == Lock("unknown", ["keyring"]))
    await world.service.end()
    for _ in 0..<5 {
      let saver = try await ScreenSaver(ScreenSaver.gnome, in: world, .answersAndLocks)
      try await world.service.start(world.sandbox.addresses)
      try await caller.waitFor(Lock("locked", [ScreenSaver.gnome]))
      try await caller.catchUp()
      #expect(try await caller.lock() == Lock("locked", [ScreenSaver.gnome]))
      await world.service.end()
      try await saver.leave()
    }
  }

  /// A locker may be replaced, or leave, before it answers.
  @Test(arguments: [true, false]) func theAnswerOfAFormerLockerIsOld(_ isReplaced: Bool) async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let former = try await ScreenSaver(ScreenSaver.gnome, in: world, .answersLate, isActive: !isReplaced)
    await former.wasAsked.value()
    if isReplaced {
      _ = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    } else {
      try await former.leave()
    }
    let present = isReplaced ? Lock("locked", [ScreenSaver.gnome]) : Lock("unknown", ["keyring"])
    try await caller.waitFor(present)
    former.answersNow.finish()
    for _ in 0..<3 {
      try await former.catchUp()
      try await caller.catchUp()
      #expect(try await caller.lock() == present)
    }
  }

  @Test func theStateIsLockedWhenAnySourceIsLocked() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let other = try await world.caller()
    let gnome = try await ScreenSaver(ScreenSaver.gnome, in: world)
    let mate = try await ScreenSaver("org.mate.ScreenSaver", in: world)
    try await caller.waitFor(Lock("unlocked", [gnome.name, mate.name, "keyring"]))
    mate.setActive(true)
    try await caller.waitFor(Lock("locked", [mate.name]))
    gnome.setActive(true)
    try await caller.waitFor(Lock("locked", [gnome.name, mate.name]))
    try await world.keyring.lock()
    try await caller.waitFor(Lock("locked", [gnome.name, mate.name, "keyring"]))
    gnome.setActive(false)
    mate.setActive(false)
    try await caller.waitFor(Lock("locked", ["keyring"]))
    try await world.keyring.unlock()
    try await caller.waitFor(Lock("unlocked", [gnome.name, mate.name, "keyring"]))
    // Each change is signalled once to every caller.
    for isActive in [true, false, true] {
      gnome.setActive(isActive)
      try await caller.waitFor(
        isActive ? Lock("locked", [gnome.name]) : Lock("unlocked", [gnome.name, mate.name, "keyring"]))
    }
    for caller in [caller, other] {
      try await caller.catchUp()
      let states = try caller.changedValues("LockState", of: "Manager", as: String.self)
      #expect(states.suffix(3) == ["locked", "unlocked", "locked"])
      let sources = try caller.changedValues("LockSources", of: "Manager", as: [String].self)
      #expect(sources.suffix(3) == [[gnome.name], ["keyring", gnome.name, mate.name], [gnome.name]])
    }
  }
}

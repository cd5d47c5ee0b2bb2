// SPDX-License-Identifier: Apache-2.0

/// `LockState` with logind, which python-dbusmock plays on a system bus of the test's own.
@Suite(.worlds) @GLibActor
struct LogindTests {
  private let unlocked = Lock("unlocked", ["keyring", "logind"])
  private let locked = Lock("locked", ["logind"])
  private let unknown = Lock("unknown", ["keyring"])

  /// Prepares a logind, and starts a service.
  private func begin(
    _ prepare: @GLibActor (Logind) async throws -> Void = { _ in }
  ) async throws -> (World, Logind, Caller) {
    let world = try await World.begin(World.Plan(service: .none))
    let logind = try Logind(world)
    try await logind.start()
    try await prepare(logind)
    try await world.service.start(world.sandbox.addresses)
    return (world, logind, try await world.caller())
  }

  /// A session of GNOME, which sets the hint.
  private func gnome(_ logind: Logind) async throws {
    try await logind.login("c1", desktop: "gnome")
    try await logind.display("c1")
  }

  // MARK: Sessions

  @Test func aLoginToADesktopIsNoticed() async throws {
    let (_, logind, caller) = try await begin()
    #expect(try await caller.lock() == unknown)
    // Sleep counts as locked without a session too.
    try await logind.prepareForSleep(true)
    try await caller.waitFor(locked)
    try await logind.prepareForSleep(false)
    try await caller.waitFor(unknown)
    try await gnome(logind)
    try await caller.waitFor(unlocked)
    try await logind.display(nil)
    // The desktops that are known to set the hint.
    let desktops = ["gnome", "gnome-xorg", "ubuntu", "KDE", "plasmawayland", "pantheon"]
    for (number, desktop) in desktops.enumerated() {
      try await caller.waitFor(unknown)
      try await logind.login("d\(number)", desktop: desktop)
      try await logind.display("d\(number)")
      try await caller.waitFor(unlocked)
      try await logind.setLocked("d\(number)", true)
      try await caller.waitFor(locked)
      try await logind.setLocked("d\(number)", false)
      try await caller.waitFor(unlocked)
      try await logind.display(nil)
    }
  }

  @Test func theInitialStateIsRead() async throws {
    let (world, logind, caller) = try await begin { logind in
      try await logind.login("c1", desktop: "gnome", isLocked: true)
      try await logind.display("c1")
    }
    #expect(try await caller.lock() == locked)
    try await logind.setLocked("c1", false)
    try await caller.waitFor(unlocked)
    try await logind.noteSleep(true)
    try await world.service.restart()
    #expect(try await caller.lock() == locked)
    try await logind.prepareForSleep(false)
    try await caller.waitFor(unlocked)
  }

  /// swaylock does not report to logind: an unset hint means nothing until it was seen set once.
  @Test func theHintCountsOnOtherDesktopsOnceItWasSet() async throws {
    let (_, logind, caller) = try await begin { logind in
      try await logind.login("c", desktop: "sway")
      try await logind.display("c")
    }
    #expect(try await caller.lock() == unknown)
    for (number, desktop) in ["sway", "Hyprland", "i3", "xfce", ""].enumerated() {
      try await logind.login("a\(number)", desktop: desktop)
      try await logind.display("a\(number)")
      try await logind.setLocked("a\(number)", true)
      try await caller.waitFor(locked)
      try await logind.setLocked("a\(number)", false)
      try await caller.waitFor(unlocked)
      // The observation counts for this session's locker only.
      try await logind.login("b\(number)", desktop: desktop)
      try await logind.display("b\(number)")
      try await caller.waitFor(unknown)
    }
  }

  @Test func theStateFollowsTheUsersDisplaySession() async throws {
    let (_, logind, caller) = try await begin(gnome)
    #expect(try await caller.lock() == unlocked)
    try await logind.login("c2", desktop: "gnome", isLocked: true)
    try await logind.display("c2")
    try await caller.waitFor(locked)
    // Signals of the old session are ignored.
    try await logind.setLocked("c1", true)
    try await logind.setLocked("c2", false)
    try await caller.waitFor(unlocked)
    try await logind.display("c1")
    try await caller.waitFor(locked)
    try await logind.setLocked("c1", false)

    // A login screen has no desktop, and its hint means nothing.
    for (number, kind) in ["greeter", "lock-screen", "background"].enumerated() {
      try await caller.waitFor(unlocked)
      try await logind.login("k\(number)", desktop: "gnome", class: kind)
      try await logind.display("k\(number)")
      try await caller.waitFor(unknown)
      try await logind.display("c1")
    }
    try await caller.waitFor(unlocked)
  }

  @Test func sleepAndEitherBusCount() async throws {
    let (world, logind, caller) = try await begin(gnome)
    #expect(try await caller.lock() == unlocked)
    try await logind.prepareForSleep(true)
    try await caller.waitFor(locked)
    try await logind.prepareForSleep(false)
    try await caller.waitFor(unlocked)
    // The screen was locked meanwhile.
    try await logind.prepareForSleep(true)
    try await caller.waitFor(locked)
    try await logind.setLocked("c1", true)
    try await logind.prepareForSleep(false)
    try await caller.catchUp()
    #expect(try await caller.lock() == locked)
    try await logind.setLocked("c1", false)
    try await caller.waitFor(unlocked)

    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    try await caller.waitFor(Lock("unlocked", [saver.name, "keyring", "logind"]))
    saver.setActive(true)
    try await caller.waitFor(Lock("locked", [saver.name]))
    try await logind.setLocked("c1", true)
    try await caller.waitFor(Lock("locked", ["logind", saver.name]))
    saver.setActive(false)
    try await caller.waitFor(locked)
  }

  /// Logind may be slow while a person logs in.
  @Test func lateAnswersCount() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let logind = try Logind(world)
    try await logind.start()
    try await gnome(logind)
    try await logind.setLocked("c1", true)
    logind.freeze()
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.caller()
    #expect(try await caller.lock() == unknown)
    logind.freeze(false)
    try await caller.waitFor(locked)
  }

  @Test func theStateFollowsLogindAcrossRestarts() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let logind = try Logind(world)
    try await logind.start()
    await logind.quit()
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.caller()
    #expect(try await caller.lock() == unknown)
    try await logind.comeBack()
    try await gnome(logind)
    try await caller.waitFor(unlocked)
    await logind.quit()
    try await caller.waitFor(unknown)
    try await logind.comeBack()
    try await gnome(logind)
    try await caller.waitFor(unlocked)

    // A restart does not unlock the screen.
    try await logind.setLocked("c1", true)
    try await caller.waitFor(locked)
    await logind.quit()
    try await caller.catchUp()
    #expect(try await caller.lock() == locked)
    try await logind.comeBack()
    try await logind.login("c1", desktop: "gnome", isLocked: true)
    try await logind.display("c1")
    try await caller.waitFor(locked)
    try await logind.setLocked("c1", false)
    try await caller.waitFor(unlocked)

    // Logind returns and reports that the machine no longer prepares for sleep.
    try await logind.prepareForSleep(true)
    try await caller.waitFor(locked)
    await logind.quit()
    try await logind.comeBack()
    try await gnome(logind)
    try await caller.waitFor(unlocked)
  }
}

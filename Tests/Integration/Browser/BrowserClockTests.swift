// SPDX-License-Identifier: Apache-2.0

/// Clocks that are wrong or are set: the issuer takes each refresh token once, and not before its time.
@Suite(.worlds, .enabled(if: WrongClock.isPossible, "libfaketime is not installed")) @GLibActor
struct BrowserClockTests {
  private static let hour = 3600
  private static let year = 366 * 24 * 3600

  private func begin(_ plan: World.Plan = .browser()) async throws -> (World, WrongClock) {
    let world = try await World.begin(plan)
    let clock = try WrongClock(ahead: 0, in: world)
    try await world.service.restart()
    return (world, clock)
  }

  private func refreshes(_ world: World) async throws -> Int {
    try await world.sandbox.state().requests["browser-refresh"] ?? 0
  }

  @Test func aClockThatLeapsCostsNoSignIn() async throws {
    let (world, clock) = try await begin()
    let caller = try await world.caller()
    let leaps = [2 * Self.hour, Self.year, -Self.year].flatMap { [($0, false), ($0, true)] }
    try await world.each(leaps) { leap, afterRestart in
      try clock.set(ahead: 0)
      try await world.service.restart()
      try await world.user.signIn(caller)
      try clock.set(ahead: leap)
      if afterRestart { try await world.service.restart() }
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.state() == "signed-in")
      #expect(try await refreshes(world) == 0)
      try await caller.call("Session.SignOut")
    }
  }

  /// The issuer's time is not to be had.
  @Test func aTokenIsUsedOnAnUncertainClock() async throws {
    let (world, clock) = try await begin()
    let caller = try await world.callerSignedInInBrowser()
    try clock.set(ahead: 2 * Self.hour)
    try await world.sandbox.play(#"[{"endpoint":"discovery","drop_after":0,"times":"always"}]"#)
    try await world.service.restart()
    #expect(try await caller.send("hi").contains("hi"))
    try await world.sandbox.expireAccessTokens()
    try await expectRefusal("Network") { try await caller.send("hi") }
    #expect(try await caller.state() == "signed-in")
    #expect(try await refreshes(world) == 0)
  }

  @Test func aSignInWithAWrongClockIsKept() async throws {
    let (world, clock) = try await begin()
    let caller = try await world.caller()
    try await world.each([Self.year, Self.hour, -Self.hour, -Self.year]) { ahead in
      try clock.set(ahead: ahead)
      try await world.service.restart()
      try await world.setTokenLifetime(1)
      try await world.user.signIn(caller)
      try clock.set(ahead: 0)
      try await world.setTokenLifetime(Self.hour)
      try await world.service.restart()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.state() == "signed-in")
      #expect(try await refreshes(world) == 1)
      try await caller.call("Session.SignOut")
    }
  }

  @Test func aSignInWithACodeIsKept() async throws {
    let (world, clock) = try await begin(World.Plan())
    let caller = try await world.caller()
    try await world.each([Self.year, -Self.year]) { ahead in
      try clock.set(ahead: ahead)
      try await world.service.restart()
      try await caller.signIn()
      for ahead in [ahead, 0] {
        try clock.set(ahead: ahead)
        #expect(try await caller.send("hi").contains("hi"))
        try await world.sandbox.expireAccessTokens()
        #expect(try await caller.send("hi").contains("hi"))
      }
      #expect(try await caller.state() == "signed-in")
      // A clock that has leapt may cost a refresh that was not due.
      #expect(try await (2...3).contains(world.sandbox.state().requests["refresh"] ?? 0))
      try await caller.call("Session.SignOut")
    }
  }
}

extension World {
  func setTokenLifetime(_ seconds: Int) async throws {
    try await control("access-token-lifetime", "seconds=\(seconds)")
  }

  func control(_ name: String, _ form: String) async throws {
    try await sandbox.request(
      .post, "\(sandbox.issuer)/sandbox/\(name)", form)
  }
}

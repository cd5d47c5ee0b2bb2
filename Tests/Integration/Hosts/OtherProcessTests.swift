// SPDX-License-Identifier: Apache-2.0

/// Processes with the same slot learn of each other's changes without polling.
@Suite(.worlds) @GLibActor
struct OtherProcessTests {
  /// The states that a program's session has shown, in order, after its first known one.
  private func shown(by host: ChildProcess) -> [String] {
    host.output.split(separator: "\n").map(String.init).filter { $0 != "restoring -" }
  }

  private func expect(_ states: [String], by host: ChildProcess) async throws {
    try await eventually("\(host.output) to be \(states)") { shown(by: host) == states }
  }

  /// A keyring has 300 ms to answer; on a machine that is busy with other tests it sometimes takes longer.
  @Test func theStateIsKnownAtLaunch() async throws {
    let world = try await World.begin()
    try await eventually("a program that begins signed out") { try await world.library("state") == "signed-out\n" }
    _ = try await world.signedInCaller()
    try await eventually("a program that begins signed in") { try await world.library("state") == "signed-in\n" }
    // A keyring that hangs does not delay a program's start.
    world.keyring.freeze()
    #expect(try await world.library("state") == "restoring\n")
    world.keyring.thaw()
  }

  @Test func aProgramLearnsOfTheServicesChanges() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let host = try world.startLibraryHost("watch", "now")
    try await expect(["signed-out -"], by: host)
    try await caller.signIn()
    try await expect(["signed-out -", "signed-in ada@example.com"], by: host)
    try await caller.call("Session.SignOut")
    let states = ["signed-out -", "signed-in ada@example.com", "signed-out -"]
    try await expect(states, by: host)
    // A keyring manager deletes the item.
    try await caller.signIn()
    try await expect(states + states.dropFirst().prefix(1), by: host)
    _ = try await world.run("secret-tool", "clear", "xdg:schema", "org.chappie.Credential", "account", "default")
    #expect(try await world.keyring.credentials().isEmpty)
    try await caller.waitFor("signed-out")
    try await expect(states + states.dropFirst(), by: host)
  }

  @Test func theServiceLearnsOfAProgramsChanges() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    #expect(try await caller.state() == "signed-out")
    let other = try await caller.open("Session")
    try await world.library("sign-in", "")
    try await caller.signal("StateChanged", at: .chappie) { $0.arguments == .tuple("signed-in", "signed-out") }
    try await caller.signal("StateChanged", at: other) { $0.arguments == .tuple("signed-in", "signed-out") }
    #expect(try await caller.state() == "signed-in")
    let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
    #expect(account.text("email") == "ada@example.com")
    #expect(try await caller.send("hi").contains("hi"))

    try await world.library("sign-out")
    try await caller.signal("StateChanged") { $0.arguments == .tuple("signed-out", "signed-in") }
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.property("Session.DeviceLinkState") == "idle")

    // The bus lists another account that a program signs in until it signs out.
    try await world.library("sign-in", "", account: "work")
    try await caller.signal("InterfacesAdded")
    try await world.library("sign-out", account: "work")
    try await caller.signal("InterfacesRemoved")
  }

  /// A refusal, and the new sign-in that resolves it.
  @Test func theServiceLearnsThatAnotherProcesssRefreshWasRefused() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.revokeRefreshTokens()
    let host = try world.startLibraryHost("hi")
    #expect(try await host.waitForEnd() == .exit(1))
    try await caller.signal("StateChanged") { $0.arguments == .tuple("reauthentication-required", "signed-in") }
    try await caller.signal("ReauthenticationRequired")
    // The time in seconds tells two sign-ins apart.
    let second = UnixTime.now
    try await eventually("the next second") { UnixTime.now > second }
    try await world.library("sign-in", "")
    try await caller.signal("StateChanged") { $0.arguments == .tuple("signed-in", "reauthentication-required") }
  }

  /// A locked keyring does not report that a sign-in is gone.
  @Test func aLockedKeyringSignsNoAccountOut() async throws {
    let (world, caller) = try await World.signedIn()
    let host = try world.startLibraryHost("watch", "now")
    try await expect(["signed-in ada@example.com"], by: host)
    try await world.keyring.lock()
    try await caller.waitFor("locked", "Manager.LockState")
    // The item is in a collection that is never locked.
    try await world.keyring.store([["xdg:schema": "org.chappie.Credential", "account": "other"]], in: "session")
    let other = try await caller.open("Session")
    #expect(try await caller.state(at: other) == "signed-in")
    #expect(try await world.library("restored") == "signed-in\n")
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.lastError().isEmpty)
    #expect(shown(by: host) == ["signed-in ada@example.com"])
    try await world.keyring.unlock()
    // Changes of other programs' items are read together and not one by one.
    let capture = try await BusCapture(world.directories)
    try await world.keyring.store((0..<200).map { ["storm": "\($0)"] }, in: "session")
    try await caller.call("Session.SignOut")
    try await eventually("the host's sign-out") { shown(by: host).last == "signed-out -" }
    try await capture.end()
    let looks = try capture.occurrences(of: "SearchItems")
    #expect((1..<200).contains(looks), "\(looks)")
  }
}

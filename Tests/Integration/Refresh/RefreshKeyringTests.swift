// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Testing

/// A refresh needs a keyring that can store its result.
@Suite(.worlds) @GLibActor
struct RefreshKeyringTests {
  private static let slowRefresh = #"[{"endpoint":"refresh","delay_ms":3000}]"#

  /// A credential that is readable while the keyring is locked.
  private func afterFirstUnlock(_ world: World) async throws -> Caller {
    let caller = try await world.caller()
    let rule = ["keychain_accessibility": "after-first-unlock-this-device-only".variant] as VariantDictionary
    try await caller.signIn(at: try await caller.open("Session", rule))
    return caller
  }

  /// The refreshed token could not be stored: the old one is used while it is valid.
  @Test func theOldTokenIsUsedUntilTheKeyringCanStore() async throws {
    try await World.with(.shortTokens) { world in
      let caller = try await afterFirstUnlock(world)
      try await world.keyring.lock()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 0)
      try await world.keyring.unlock()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }

  @Test func noTokenIsRefreshedWhileItsSuccessorCannotBeStored() async throws {
    let plan = World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--access-token-lifetime", "1"])
    try await World.with(plan) { world in
      let caller = try await afterFirstUnlock(world)
      try await world.setTokenLifetime(3600)
      try await world.keyring.lock()
      let locked = UnixTime.now
      try await eventually("the end of the token") { UnixTime.now > locked }
      try await expectRefusal("Locked") { try await caller.send("hi") }
      let state = try await world.sandbox.state()
      #expect(state.requests["refresh"] == 0)
      #expect(state.requests["responses"] == 0)
      #expect(try await caller.state() == "signed-in")
      try await world.keyring.unlock()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }

  /// The keyring was locked between the server's answer and its storing. No caller has to ask again.
  @Test func aPendingTokenIsStoredWhenTheKeyringIsUnlocked() async throws {
    try await World.signedIn { world, caller in
      let before = try #require(try await world.keyring.credentials()["default"]).secret
      try await lockDuringARefresh(world, caller)
      try await world.keyring.unlock()
      try await eventually("the new token in the keyring") {
        try await world.keyring.credentials()["default"]?.secret != before
      }
      let service = try #require(world.service.process)
      service.send(SIGKILL)
      _ = try await service.waitForEnd()
      try await world.service.start(world.sandbox.addresses)
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }

  /// The caller that needed the tokens has left with its objects.
  @Test func aPendingTokenIsKeptWhenItsCallerLeaves() async throws {
    try await World.with { world in
      let settings = ["keychain_service": "com.example.other".variant] as VariantDictionary
      let observer = try await world.caller()
      let name: String
      do {
        let caller = try await Caller(world.directories.busAddress)
        name = caller.connection.uniqueName
        try await caller.signIn(at: try await caller.open("Session", settings))
        let client = try await caller.open("Client", settings)
        try await lockDuringARefresh(world, caller, at: client)
      }
      try await observer.signal("NameOwnerChanged") { $0.arguments == .tuple(name, name, "") }
      try await observer.catchUp()
      try await world.keyring.unlock()
      let client = try await observer.open("Client", settings)
      #expect(try await observer.send("hi", at: client).contains("hi"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }

  private func lockDuringARefresh(_ world: World, _ caller: Caller, at path: ObjectPath = .chappie) async throws {
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(Self.slowRefresh)
    async let refused = refusal { try await caller.send("hi", at: path) }
    try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
    try await world.keyring.lock()
    #expect(try await refused.name == "Locked")
    #expect(try await caller.state() != "reauthentication-required")
  }
}

// SPDX-License-Identifier: Apache-2.0

/// A sign-in works only on the device that made it.
@Suite(.worlds, .enabled(if: ServiceProcess.mayPoseAsAnotherMachine, "only root can give a program a machine id"))
@GLibActor
struct DeviceBindingTests {
  private static let elsewhere = "0123456789abcdef0123456789abcdef\n"

  /// The keyring's file was copied: the service of another machine reads it here.
  @Test func aCopiedKeyringGivesNoSignIn() async throws {
    try await World.with(each: Accessibility.allCases) { world, accessibility in
      world.service.machineID = nil
      try await world.service.restart()
      let caller = try await world.caller()
      try await caller.signIn(accessibility)
      #expect(try await caller.send("here").contains("here"))
      await world.service.end()
      await world.keyring.end()
      try await world.keyring.start()
      world.service.machineID = Self.elsewhere
      try await world.service.start(world.sandbox.addresses)

      #expect(try await caller.state() == "signed-out")
      let error = try await caller.lastError()
      #expect(error.text("message")?.contains("another device") == true)
      #expect(error["requires_reauthentication"] == false.variant)
      #expect(try await caller.email() == nil)
      try await expectRefusal("MissingCredential") { try await caller.send("hi") }
      #expect(try await world.sandbox.state().requests["responses"] == 1)

      let before = try await world.keyring.credentials()["default"]?.attributes["device"]
      try await caller.signIn()
      #expect(try await caller.send("there").contains("there"))
      #expect(try await caller.lastError().isEmpty)
      let items = try await world.keyring.items()
      #expect(items.count == 1)
      #expect(items.first?.attributes["device"] != before)
    }
  }

  /// Without a machine id a sign-in cannot be bound: it is refused, and nothing is stored unbound.
  @Test(arguments: ["", "uninitialized\n"])
  func aMachineWithoutAnIDStoresNoSignIn(_ id: String) async throws {
    let world = try await World.begin(World.Plan(service: .none))
    world.service.machineID = id
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.caller()
    try await expectRefusal("KeyringUnavailable", saying: "/etc/machine-id") { try await caller.startSignIn() }
    #expect(try await world.keyring.items().isEmpty)
    world.service.machineID = nil
    try await world.service.restart()
    try await caller.signIn()
    #expect(try await caller.send("hi").contains("hi"))
  }
}

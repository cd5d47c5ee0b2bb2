// SPDX-License-Identifier: Apache-2.0

/// A TPM can keep the device key.
@Suite(.worlds, .enabled(if: SoftwareTPM.obstacle == nil, Comment(rawValue: SoftwareTPM.obstacle ?? "")))
@GLibActor
struct TPMTests {
  private static let inTPM = "[Keyring]\nDeviceKey=tpm2\n"

  private func begin(_ configuration: String = inTPM) async throws -> (World, SoftwareTPM, Caller) {
    let world = try await World.begin(World.Plan(service: .none, configuration: configuration))
    let tpm = try await SoftwareTPM(in: world)
    world.service.environment = tpm.environment
    try await world.service.start(world.sandbox.addresses)
    return (world, tpm, try await world.caller())
  }

  private func restart(_ world: World, _ tpm: SoftwareTPM) async throws {
    await world.service.end()
    try world.directories.configure(Self.inTPM)
    try await tpm.reset()
    try await world.service.start(world.sandbox.addresses)
  }

  private func place(_ world: World) async throws -> Substring? {
    let line = try await world.keyring.credentials()["default"].map { String(decoding: $0.secret, as: UTF8.self) }
    return line?.split(separator: ":").dropFirst().first
  }

  private func names(_ world: World) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: world.directories.state.path).sorted()
      .filter { $0.hasPrefix("device-key") }
  }

  @Test func aSignInSealedByTheTPMSurvivesARestart() async throws {
    let (world, tpm, caller) = try await begin()
    try await caller.signIn()
    #expect(try await caller.send("here").contains("here"))
    #expect(try await place(world) == "tpm2")
    #expect(try names(world) == ["device-key.tpm2"])
    let file = world.directories.state.appending(path: "device-key.tpm2")
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    try await restart(world, tpm)
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.send("again").contains("again"))

    // A program with all of the user's files and the keyring opens nothing, and the key is in no file.
    let thief = try await world.run(
      "python3", SourceTree.path(of: "Tests/attacks/open-seal.py"), world.directories.state.path)
    #expect(thief.text == "closed\n1 items \n")
    try await tpm.reset()
    let device = try #require(tpm.environment.first)
    let key = try await world.run(
      "sh", "-c",
      "\(device.key)=\(device.value) systemd-creds decrypt --name=chappie-device-key \(file.path) - 2>/dev/null | base64 -w0"
    )
    let bytes = try #require(Data(base64Encoded: key.text))
    #expect(bytes.count == 32)
    #expect(try world.directories.files().filter { $0.value.contains(bytes) }.keys.sorted() == [])
  }

  /// The TPM may work again later: no account is signed out, and no other key is used instead. A TPM that often stops
  /// locks itself against guessing.
  @Test func aTPMThatDoesNotAnswerIsAFailure() async throws {
    let (world, tpm, caller) = try await begin()
    try await caller.signIn()
    await world.service.end()
    await tpm.stop()
    try await world.service.start(world.sandbox.addresses)
    try await expectRefusal("KeyringUnavailable", saying: "the TPM did not open it") { try await caller.send("hi") }
    #expect(try await caller.state() == "signed-in")
    try await expectRefusal("KeyringUnavailable") { try await caller.startSignIn() }
    #expect(try names(world) == ["device-key.tpm2"])
    try await tpm.start()
    #expect(try await caller.send("back").contains("back"))
  }

  /// The owner has cleared the TPM: the sign-in is lost, and nothing else.
  @Test func aClearedTPMNeedsANewSignIn() async throws {
    let (world, tpm, caller) = try await begin("")
    try await caller.signIn(.whenUnlocked, account: "work")
    try await restart(world, tpm)
    try await caller.signIn()
    await world.service.end()
    try await tpm.clear()
    try await world.service.start(world.sandbox.addresses)
    #expect(try await caller.state() == "signed-out")
    #expect(
      try await caller.lastError().text("message")?.contains("the key of this device is gone: sign in again") == true)
    try await expectRefusal("MissingCredential") { try await caller.send("hi") }
    // What was stored before the change of the key's place stays readable.
    let work = try await caller.open("Client", ["keychain_account": "work"])
    #expect(try await caller.send("still", at: work).contains("still"))

    try await tpm.reset()
    try await caller.signIn()
    #expect(try await caller.send("anew").contains("anew"))
    #expect(try names(world) == ["device-key", "device-key.tpm2", "device-key.tpm2.lost"])
    try await restart(world, tpm)
    #expect(try await caller.send("again").contains("again"))
  }
}

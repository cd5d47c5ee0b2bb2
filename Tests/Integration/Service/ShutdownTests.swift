// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Start, configuration and end of the service.
@Suite(.worlds) @GLibActor
struct ShutdownTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalEndsTheServiceCleanly(_ signal: Int32) async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.stall()
    let turn = try await caller.stalledTurn()
    let process = try #require(world.service.process)
    async let refused = refusal { try await caller.send("never answered") }
    try await eventually("both answers to start") { try await world.sandbox.state().openStreams == 2 }
    process.send(signal)
    #expect(try await process.waitForEnd() == .exit(0))

    // Waiting callers get their reply before the service releases its name.
    #expect(try await refused.name == "Cancelled")
    let failed = try await caller.signal("Failed")
    #expect(try failed.arguments.member(0, "turn") == turn.id)
    #expect(try failed.arguments.member(1, "error") == "org.chappie.Error.Cancelled")
    #expect(turn.endCount == 1)
    #expect(try await caller.connection.owner(of: "org.chappie") == nil)
    try await eventually("the stand-in's streams to be closed") { try await world.sandbox.state().openStreams == 0 }
  }

  @Test func aSignalEndsTheServiceDuringASignIn() async throws {
    let world = try await World.begin(.attended)
    let caller = try await world.caller()
    _ = try await caller.startSignIn()
    let process = try #require(world.service.process)
    process.send(SIGTERM)
    #expect(try await process.waitForEnd() == .exit(0))
    try await world.service.restart()
    #expect(try await caller.state() == "signed-out")
  }

  /// A keyring that hangs must not keep a session from ending.
  @Test func aSignalEndsTheServiceWhileTheKeyringIsSilent() async throws {
    let (world, caller) = try await World.signedIn()
    world.keyring.freeze()
    let turn = try await caller.stream("hi")
    let process = try #require(world.service.process)
    process.send(SIGTERM)
    #expect(try await process.waitForEnd() == .exit(0))
    let failed = try await caller.signal("Failed")
    #expect(try failed.arguments.member(0, "turn") == turn.id)
  }

  @Test func theServiceDoesNotStartWithoutABus() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    await world.bus.end()
    let process = try world.service.launch(world.sandbox.addresses)
    #expect(try await process.waitForEnd() == .exit(1))
    #expect(process.output.contains("The service cannot start"))
  }

  @Test func aSecondInstanceReportsTheFirstAndEnds() async throws {
    let (world, caller) = try await World.signedIn()
    let owner = try await caller.connection.owner(of: "org.chappie")
    let second = try world.service.launch(world.sandbox.addresses, name: "second")
    #expect(try await second.waitForEnd() == .exit(1))
    #expect(second.output.contains("Another program owns the name org.chappie"))
    #expect(try await caller.connection.owner(of: "org.chappie") == owner)
    #expect(try await caller.send("hi").contains("hi"))
  }

  /// Callers send calls as soon as the name appears, and the objects must be there.
  @Test func theNameAppearsAfterTheObjects() async throws {
    let (world, caller) = try await World.signedIn()
    for _ in 0..<5 {
      await world.service.end()
      var answers: [Task<Bool, any Error>] = []
      let watch = caller.connection.watchName("org.chappie") { owner in
        guard owner != nil else { return }
        answers = ["Manager", "Session", "Client"].map { interface in
          Task { @GLibActor in try await caller.property("\(interface).Version", as: UInt32.self) == 1 }
        }
        answers.append(Task { @GLibActor in try await caller.state() == "signed-in" })
      }
      try await world.service.restart()
      try await eventually("the name") { !answers.isEmpty }
      for answer in answers { #expect(try await answer.value) }
      withExtendedLifetime(watch) {}
    }
  }

  // MARK: The command line and chappie.conf

  private let alone = World.Plan(service: .none)

  /// The user's file replaces keys of the system's, and the command line those of both.
  @Test func theFilesNameTheServersAndTheModel() async throws {
    let world = try await World.begin(alone)
    let system = world.directories.systemConfiguration.appending(path: "chappie")
    try FileManager.default.createDirectory(at: system, withIntermediateDirectories: true)
    try "[Backend]\nIssuer=\(world.sandbox.issuer)\nBaseURL=\(world.sandbox.backend)\n[Client]\nModel=gpt-6-sol\n"
      .write(to: system.appending(path: "chappie.conf"), atomically: true, encoding: .utf8)
    try world.directories.configure("# A comment\n[Client]\nModel=gpt-6-luna\n")
    try await world.service.start([])
    let caller = try await world.signedInCaller()
    #expect(try await caller.property("Client.Model") == "gpt-6-luna")
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-luna")

    await world.service.end()
    let wrong = "[Backend]\nIssuer=https://issuer.invalid\nBaseURL=https://backend.invalid/backend-api\n"
    try world.directories.configure(wrong)
    try await world.service.start(world.sandbox.addresses)
    #expect(try await caller.property("Client.Model") == "gpt-6-sol")
    #expect(try await caller.send("hi").contains("hi"))
  }

  /// What is not understood is never ignored, and systemd does not start the service again for this status. Credentials
  /// go over HTTPS, or stay on the machine.
  @Test func aFaultyFileAndAnUnsafeAddressAreRefused() async throws {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    @GLibActor func expectFailure(_ arguments: [String], _ sentence: String) async throws {
      let process = try world.service.launch(arguments)
      #expect(try await process.waitForEnd() == .exit(78))
      #expect(process.output.contains(sentence), "\(process.output)")
    }
    let address = "http://127.0.0.1.example.com"
    for option in ["--backend", "--issuer"] {
      try await expectFailure([option, address], "'\(address)' is not an HTTPS address")
    }
    try world.directories.configure("[Backend]\nBaseURL=\(address)\n")
    try await expectFailure([], "[Backend] BaseURL= must be an HTTPS address")
    try world.directories.configure("This is no key file.")
    let file = world.directories.configuration.appending(path: "chappie/chappie.conf").path
    try await expectFailure(
      world.sandbox.addresses, "The service cannot start: \(file): Key file contains line")
  }

  @Test func helpDescribesTheCommandLine() async throws {
    let world = try await World.begin(alone)
    let help = try await world.run(Binaries.chappied, "--help")
    #expect(help.status == 0)
    for option in ["--issuer", "--backend", "--version"] { #expect(help.text.contains(option)) }
    let version = try await world.run(Binaries.chappied, "--version")
    #expect(version.status == 0)
    #expect(version.text.hasPrefix("chappied "))
    for wrong in ["--nonsense", "--issuer", "word"] {
      let output = try await world.run(Binaries.chappied, wrong)
      #expect(output.status == 2, "\(wrong)")
      #expect(output.text.hasPrefix("chappied: "), "\(wrong)")
    }
  }
}

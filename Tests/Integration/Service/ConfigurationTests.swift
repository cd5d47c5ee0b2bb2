// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// The command line and `chappie/chappie.conf`.
@Suite(.worlds) @GLibActor
struct ConfigurationTests {
  private let alone = World.Plan(service: .none)

  /// The user's file replaces keys of the system's, and the command line those of both.
  @Test func theFilesNameTheServersAndTheModel() async throws {
    try await World.with(alone) { world in
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
  }

  /// What is not understood is never ignored, and systemd does not start the service again for this status. Credentials
  /// go over HTTPS, or stay on the machine.
  @Test func aFaultyFileAndAnUnsafeAddressAreRefused() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
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
  }

  @Test func helpDescribesTheCommandLine() async throws {
    try await World.with(alone) { world in
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
}

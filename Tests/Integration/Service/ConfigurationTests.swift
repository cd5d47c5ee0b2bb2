// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// The command line and `chappie/chappie.conf`.
@Suite(.worlds) @GLibActor
struct ConfigurationTests {
  private let alone = World.Plan(service: .none)

  private func write(_ text: String, in directory: URL) throws {
    let folder = directory.appending(path: "chappie")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try text.write(to: folder.appending(path: "chappie.conf"), atomically: true, encoding: .utf8)
  }

  private func backend(_ world: World) -> String {
    "[Backend]\nIssuer=\(world.sandbox.issuer)\nBaseURL=\(world.sandbox.backend)\n"
  }

  @Test func theFileNamesTheServersAndTheModel() async throws {
    try await World.with(alone) { world in
      try write("# A comment\n\(backend(world))[Client]\nModel=gpt-6-sol\n", in: world.directories.configuration)
      try await world.service.start([])
      let caller = try await world.signedInCaller()
      #expect(try await caller.property("Client.Model") == "gpt-6-sol")
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
    }
  }

  @Test func theUsersFileOverridesTheSystemsKeyByKey() async throws {
    try await World.with(alone) { world in
      try write("\(backend(world))[Client]\nModel=gpt-6-sol\n", in: world.directories.systemConfiguration)
      try write("[Client]\nModel=gpt-6-luna\n", in: world.directories.configuration)
      try await world.service.start([])
      let caller = try await world.signedInCaller()
      #expect(try await caller.property("Client.Model") == "gpt-6-luna")
    }
  }

  @Test func theCommandLineOverridesTheFile() async throws {
    try await World.with(alone) { world in
      let wrong = "[Backend]\nIssuer=https://issuer.invalid\nBaseURL=https://backend.invalid/backend-api\n"
      try write(wrong, in: world.directories.configuration)
      try await world.service.start(world.sandbox.addresses)
      let caller = try await world.signedInCaller()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  @Test func theSampleIsAValidFile() async throws {
    try await World.with(alone) { world in
      try write(try SourceTree.text(of: "data/chappie.conf"), in: world.directories.configuration)
      try await world.service.start(world.sandbox.addresses)
      let caller = try await world.caller()
      #expect(try await caller.property("Client.Model") == "gpt-5.5")
    }
  }

  /// What is not understood is never ignored, and systemd does not start the service again for this status.
  @Test func aFaultyFileIsRefused() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      try write("This is no key file.", in: world.directories.configuration)
      let process = try world.service.launch(world.sandbox.addresses)
      #expect(try await process.waitForEnd() == .exit(78))
      let file = world.directories.configuration.appending(path: "chappie/chappie.conf").path
      let sentence = "The service cannot start: \(file): Key file contains line"
      #expect(process.output.contains(sentence), "\(process.output)")
    }
  }

  /// Credentials go over HTTPS, or stay on the machine.
  @Test func anUnsafeAddressIsRefused() async throws {
    try await World.with(alone) { world in
      let address = "http://127.0.0.1.example.com"
      for option in ["--backend", "--issuer"] {
        let process = try world.service.launch([option, address])
        #expect(try await process.waitForEnd() == .exit(78))
        #expect(process.output.contains("'\(address)' is not an HTTPS address"))
      }
      try write("[Backend]\nBaseURL=\(address)\n", in: world.directories.configuration)
      let process = try world.service.launch([])
      #expect(try await process.waitForEnd() == .exit(78))
      #expect(process.output.contains("[Backend] BaseURL= must be an HTTPS address"))
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

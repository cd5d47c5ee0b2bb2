// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Glibc
import Testing

/// The authorities that the service trusts.
@Suite(.worlds) @GLibActor
struct TrustStoreTests {
  private func with(
    _ certificates: @GLibActor (World, TLSNetwork) throws -> String,
    _ body: @GLibActor (World, Caller, TLSNetwork) async throws -> Void
  ) async throws {
    var plan = World.Plan()
    plan.service = .none
    try await World.with(plan) { world in
      let network = try await TLSNetwork(world)
      let file = try certificates(world, network)
      try await world.service.start(through: network, ["SSL_CERT_FILE": file], isTrusted: false)
      try await body(world, try await world.caller(), network)
    }
  }

  /// An authority that only one user trusts, as other network programs let this user say.
  @Test func theAuthoritiesOfSSLCertFileAreTrusted() async throws {
    try await with {
      $1.certificates
    } _: { _, caller, network in
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
      try network.answer("intercept")
      let error = try await refusal { try await caller.call("Client.GetUsageLimits") }
      #expect(error.message.contains("has issued it, so something may be in between"), "\(error)")
    }
  }

  /// A record of TLS holds several messages, and parts of some.
  @Test func aLongAnswerArrivesWhole() async throws {
    try await with {
      $1.certificates
    } _: { world, caller, _ in
      try await caller.signIn()
      let text = (0..<30_000).map(String.init).joined(separator: " ")
      try await world.sandbox.play(#"[{"endpoint": "responses", "text": "\#(text)"}]"#)
      #expect(try await caller.send("Count") == text)
    }
  }

  /// A named pipe would keep its reader waiting.
  @Test func aNamedPipeIsRefused() async throws {
    try await with { world, _ in
      let pipe = world.directories.root.appending(path: "authorities").path
      guard mkfifo(pipe, 0o600) == 0 else { throw UnmetCondition("a pipe") }
      return pipe
    } _: { _, caller, _ in
      let error = try await refusal { _ = try await caller.startSignIn() }
      #expect(error.message.contains("SSL_CERT_FILE names a file without certificates"), "\(error)")
    }
  }

  /// The system's authorities are no substitute for a file that cannot be read.
  @Test(arguments: [nil, "No certificate.\n"])
  func aFileWithoutCertificatesIsRefused(_ content: String?) async throws {
    try await with { world, _ in
      let file = world.directories.root.appending(path: "authorities.pem")
      try content?.write(to: file, atomically: true, encoding: .utf8)
      return file.path
    } _: { world, caller, network in
      let error = try await refusal { _ = try await caller.startSignIn() }
      #expect(error.name == "Network", "\(error)")
      #expect(error.message.contains("SSL_CERT_FILE names a file without certificates"), "\(error)")
      #expect(network.requests.isEmpty)
      #expect(try #require(world.service.process).output.contains("authorities.pem"))
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The authorities that the service trusts, and the backend on the loopback, which needs none.
@Suite(.worlds) @GLibActor
struct TrustStoreTests {
  private func begin(
    _ certificates: @GLibActor (World, TLSNetwork) throws -> String
  ) async throws -> (World, Caller, TLSNetwork) {
    let world = try await World.begin(World.Plan(service: .none))
    let network = try await TLSNetwork(world)
    let file = try certificates(world, network)
    try await world.service.start(through: network, ["SSL_CERT_FILE": file], isTrusted: false)
    return (world, try await world.caller(), network)
  }

  /// An authority that only one user trusts, as other network programs let this user say.
  @Test func theAuthoritiesOfSSLCertFileAreTrusted() async throws {
    let (world, caller, network) = try await begin { $1.certificates }
    try await caller.signIn()
    // A record of TLS holds several messages, and parts of some.
    let text = (0..<30_000).map(String.init).joined(separator: " ")
    try await world.sandbox.play(#"[{"endpoint": "responses", "text": "\#(text)"}]"#)
    #expect(try await caller.send("Count") == text)
    try network.answer("intercept")
    let error = try await refusal { try await caller.call("Client.GetUsageLimits") }
    #expect(error.message.contains("has issued it, so something may be in between"), "\(error)")
  }

  /// The system's authorities are no substitute for a file that cannot be read. A named pipe would keep its reader
  /// waiting.
  @Test(arguments: ["nothing", "a text", "a pipe"])
  func aFileWithoutCertificatesIsRefused(_ what: String) async throws {
    let (world, caller, network) = try await begin { world, _ in
      let file = world.directories.root.appending(path: "authorities.pem")
      switch what {
      case "a text": try "No certificate.\n".write(to: file, atomically: true, encoding: .utf8)
      case "a pipe": guard mkfifo(file.path, 0o600) == 0 else { throw UnmetCondition("a pipe") }
      default: break
      }
      return file.path
    }
    try await expectRefusal("Network", saying: "SSL_CERT_FILE names a file without certificates") {
      _ = try await caller.startSignIn()
    }
    #expect(network.requests.isEmpty)
    #expect(try #require(world.service.process).output.contains("authorities.pem"))
  }

  /// Its traffic leaves no machine: no proxy sees it.
  @Test(arguments: World.Plan.Transport.allCases)
  func theLoopbackIsReachedWithoutAProxy(over transport: World.Plan.Transport) async throws {
    var plan = World.Plan(transport: transport)
    plan.service = .none
    let world = try await World.begin(plan)
    let network = try await TLSNetwork(world)
    world.service.environment.merge(network.environment) { $1 }
    try await world.service.start(world.sandbox.addresses)
    let caller = try await world.signedInCaller()
    try await world.sandbox.expireAccessTokens()
    #expect(try await caller.send("hi").contains("hi"))
    try await caller.call("Client.ListModels", [:] as VariantDictionary)
    try await caller.call("Session.SignOut")
    try await eventually("the revocation") { try await world.sandbox.state().requests["revoke"] == 1 }
    #expect(network.requests.isEmpty)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The stand-in behind real TLS, by a name that only a proxy knows. A test can make proxy and server misbehave.
@GLibActor
final class TLSNetwork {
  /// The TLS library's trust store.
  private nonisolated static let trustStore = "/etc/ssl/certs/ca-certificates.crt"

  /// Whether a test may replace the trust store for one program.
  nonisolated static let canBeTrusted = Programs.succeeds(
    "unshare", ["--mount", "mount", "--bind", "/dev/null", trustStore])

  /// The server's name does not lead to the loopback, so nothing bypasses the proxy.
  private static let server = "https://sign-in.chappie.test"

  private let folder: URL
  private let process: ChildProcess
  private let proxy: String

  /// A network in `world` with the world's stand-in as its server.
  init(_ world: World) async throws {
    folder = world.directories.root.appending(path: "network")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let port = world.sandbox.issuer.split(separator: ":").last.map(String.init) ?? ""
    let process = try ChildProcess(
      "network", "/usr/bin/python3", [SourceTree.path(of: "Tests/tls/network.py"), folder.path, port],
      in: world.directories)
    world.adopt { process.send(SIGKILL) }
    self.process = process
    try await eventually("the network") { process.output.contains("ready ") || process.end != nil }
    guard let line = process.output.split(separator: "\n").first(where: { $0.hasPrefix("ready ") }) else {
      throw UnmetCondition("a network; it wrote \(process.output)")
    }
    proxy = "http://127.0.0.1:" + line.dropFirst("ready ".count)
  }

  /// Chooses the answer to each connection from now on: see `Tests/tls/network.py`.
  func answer(_ how: String) throws {
    try how.write(to: folder.appending(path: "answer"), atomically: true, encoding: .utf8)
  }

  /// The first line of each request to the proxy.
  var requests: [Substring] {
    process.output.split(separator: "\n").filter { !$0.hasPrefix("ready ") }
  }

  // MARK: For the service

  /// The environment that makes a program use the server.
  var addresses: [String] { ["--issuer", Self.server, "--backend", Self.server + "/backend-api"] }

  /// The environment that makes a program use the proxy for every address.
  var environment: [String: String] {
    Dictionary(uniqueKeysWithValues: ["http_proxy", "https_proxy", "all_proxy"].map { ($0, proxy) })
  }

  /// A file with the server's certificate.
  var certificates: String { folder.appending(path: "trust.pem").path }

  /// A command that runs another one with the server's certificate trusted. It uses a mount namespace only: in a user
  /// namespace the service could not identify its callers.
  var trusting: [String] {
    let script = #"mount --bind "$0" \#(Self.trustStore) && exec "$@""#
    return ["unshare", "--mount", "--", "sh", "-c", script, certificates]
  }
}

import Foundation
import GLibBridge

/// The stand-in behind real TLS, by a name that only a proxy knows; proxy and server can be told to misbehave.
@GLibActor
final class TLSNetwork {
  /// Where the TLS library looks for whom to trust.
  private nonisolated static let trustStore = "/etc/ssl/certs/ca-certificates.crt"

  /// Whether a test may put another file in place of the trust store, for one program.
  nonisolated static let canBeTrusted = Programs.succeeds(
    "unshare", ["--mount", "mount", "--bind", "/dev/null", trustStore])

  /// Without a name that leads to the loopback, so that nothing passes by the proxy.
  private static let server = "https://sign-in.chappie.test"

  private let folder: URL
  private let process: ChildProcess
  private let proxy: String

  /// A network in `world`, whose server is the world's stand-in.
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
      throw Impatience("a network; it wrote \(process.output)")
    }
    proxy = "http://127.0.0.1:" + line.dropFirst("ready ".count)
  }

  /// Has each connection from now on be answered as `how` says: see `Tests/tls/network.py`.
  func answer(_ how: String) throws {
    try how.write(to: folder.appending(path: "answer"), atomically: true, encoding: .utf8)
  }

  /// The first line of each request that the proxy was sent.
  var requests: [Substring] {
    process.output.split(separator: "\n").filter { !$0.hasPrefix("ready ") }
  }

  // MARK: For the service

  /// What points a program to the server.
  var addresses: [String] { ["--issuer", Self.server, "--backend", Self.server + "/backend-api"] }

  /// What points a program to the proxy, whatever it wants to reach.
  var environment: [String: String] {
    Dictionary(uniqueKeysWithValues: ["http_proxy", "https_proxy", "all_proxy"].map { ($0, proxy) })
  }

  /// A command that runs another one where the server is trusted. A namespace of mounts alone: in one of users, the
  /// service could not tell who calls.
  var trusting: [String] {
    let script = #"mount --bind "$0" \#(Self.trustStore) && exec "$@""#
    return ["unshare", "--mount", "--", "sh", "-c", script, folder.appending(path: "trust.pem").path]
  }
}

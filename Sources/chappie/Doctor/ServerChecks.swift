// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Checks of the way to the servers: what the service itself got when it asked them.
@GLibActor
enum ServerChecks {
  /// A server's answer, as `CheckServers` returns it.
  private struct Server {
    let host: String
    let status: UInt32?
    let time: Timestamp?
    let error: String?
    let isUntrusted: Bool

    init(_ values: VariantDictionary) throws {
      host = try values.value("host") ?? ""
      status = try values.value("status")
      time = try values.time("time")
      error = try values.value("error")
      isUntrusted = try values.value("untrusted") ?? false
    }
  }

  private static let deadline = Duration.seconds(15)
  /// A difference that no check of a certificate or a token notices.
  private static let tolerance = 60

  static func findings(_ service: ServiceConnection) async -> [Finding] {
    do {
      let reply = try await service.manager("CheckServers", timeout: deadline)
      let servers = try reply.member(0, "servers", as: [VariantDictionary].self).map(Server.init)
      return [trust(servers), clock(servers), reached(servers)]
    } catch {
      return unchecked(CommandFailure(error).message)
    }
  }

  /// The findings without a service to ask.
  static func unchecked(_ reason: String) -> [Finding] {
    [localTrust ?? .unchecked("trust-store", reason), .unchecked("clock", reason), .unchecked("servers", reason)]
  }

  /// What is wrong on this computer; nil for nothing.
  private static var localTrust: Finding? {
    TLSSupport.isInstalled
      ? nil
      : .problem(
        "trust-store", .noNetwork, tr("GIO has no TLS library here, so no server can be trusted."),
        tr("Install the package glib-networking."))
  }

  private static func trust(_ servers: [Server]) -> Finding {
    if let finding = localTrust { return finding }
    guard let server = servers.first(where: \.isUntrusted) else {
      guard servers.contains(where: { $0.error == nil }) else {
        return .unchecked("trust-store", tr("No server was reached."))
      }
      return .ok("trust-store", tr("No certificate is refused."))
    }
    let error = server.error ?? ""
    return .problem(
      "trust-store", .noNetwork, "\(error.prefix(1).uppercased() + error.dropFirst()).",
      tr("If the network has an authority of its own, add it to the system's trust store."))
  }

  private static func clock(_ servers: [Server]) -> Finding {
    // The backend, which comes last, judges the tokens.
    guard let (host, time) = servers.compactMap({ server in server.time.map { (server.host, $0) } }).last else {
      return .unchecked("clock", tr("No server told the time."))
    }
    let difference = Int(Timestamp.now.seconds(since: time))
    guard abs(difference) > tolerance else {
      return .ok("clock", tr("The clock agrees with that of \(host)."))
    }
    let minutes = (abs(difference) + 30) / 60
    return .problem(
      "clock", .failed,
      difference > 0
        ? tr(
          minutes, one: "The clock is \(minutes) minute ahead of that of \(host).",
          other: "The clock is \(minutes) minutes ahead of that of \(host).")
        : tr(
          minutes, one: "The clock is \(minutes) minute behind that of \(host).",
          other: "The clock is \(minutes) minutes behind that of \(host)."),
      tr("Set it: sudo timedatectl set-ntp true"))
  }

  private static func reached(_ servers: [Server]) -> Finding {
    if let server = servers.first(where: { $0.error != nil && !$0.isUntrusted }) {
      return .problem(
        "servers", .noNetwork, tr("\(server.host) was not reached: \(server.error ?? "")."),
        tr("Check the network and the proxy."))
    }
    if let server = servers.first(where: \.isUntrusted) {
      return .problem("servers", .noNetwork, tr("\(server.host) is not trusted."), tr("See trust-store."))
    }
    if let server = servers.first(where: { $0.status ?? 0 >= 500 }) {
      return .note("servers", tr("\(server.host) answers with status \(server.status ?? 0)."), tr("Try again later."))
    }
    let hosts = servers.map(\.host).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return .ok(
      "servers",
      hosts.count == 2
        ? tr("\(hosts[0]) and \(hosts[1]) answer.")
        : hosts.count == 3
          ? tr("\(hosts[0]), \(hosts[1]) and \(hosts[2]) answer.")
          : tr("\(hosts.joined(separator: ", ")) answers."))
  }
}

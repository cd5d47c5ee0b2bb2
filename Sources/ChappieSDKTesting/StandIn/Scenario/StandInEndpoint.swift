/// An endpoint of the stand-in. Counters and rules use its raw value as its name.
enum StandInEndpoint: String, CaseIterable, Sendable {
  case userCode = "usercode"
  case poll
  case token
  case refresh
  case revoke
  case responses
  /// A request with `generate` set to false, which gets an empty answer.
  case prewarm
  /// The handshake of a WebSocket.
  case handshake
  case models
  case usage
  /// The workspaces of the user: `wham/accounts/check`.
  case accounts
  /// The page `/codex/device`.
  case page
  /// Any other path.
  case unknown

  /// The endpoints that a scenario can change.
  static let scripted: [StandInEndpoint] = [
    .userCode, .poll, .token, .refresh, .revoke, .responses, .handshake, .models, .usage, .accounts,
  ]

  /// The only accepted HTTP method; nil if any is accepted.
  var method: String? {
    switch self {
    case .page, .unknown: nil
    case .handshake, .models, .usage, .accounts: "GET"
    default: "POST"
    }
  }
}

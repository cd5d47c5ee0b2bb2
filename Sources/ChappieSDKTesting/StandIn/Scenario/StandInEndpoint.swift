/// What the stand-in counts requests by and what the rules of a scenario name.
enum StandInEndpoint: String, CaseIterable, Sendable {
  case userCode = "usercode"
  case poll
  case token
  case refresh
  case revoke
  case responses
  /// A request for an answer that shall not be given: `generate` is false.
  case prewarm
  /// Of a WebSocket.
  case handshake
  case models
  case usage
  /// The workspaces of the user: `wham/accounts/check`.
  case accounts
  /// `/codex/device`
  case page
  /// Addresses that the stand-in does not know.
  case unknown

  /// Those that a scenario can change.
  static let scripted: [StandInEndpoint] = [
    .userCode, .poll, .token, .refresh, .revoke, .responses, .handshake, .models, .usage, .accounts,
  ]

  /// The one method that it takes; nil for any.
  var method: String? {
    switch self {
    case .page, .unknown: nil
    case .handshake, .models, .usage, .accounts: "GET"
    default: "POST"
    }
  }
}

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
  /// The configuration of the issuer for a sign-in in the browser.
  case discovery
  /// The keys of the issuer.
  case jwks
  /// The page for a sign-in in the browser.
  case authorize
  /// The exchange of a code from the browser.
  case browserToken = "browser-token"
  case browserRefresh = "browser-refresh"
  case browserRevoke = "browser-revoke"
  /// The models of the public API.
  case apiModels = "api-models"
  /// An answer of the public API.
  case apiResponses = "api-responses"
  /// Any other path of the public API.
  case apiOther = "api-other"
  /// The page `/codex/device`.
  case page
  /// Any other path.
  case unknown

  /// The endpoints that a scenario can change.
  static let scripted: [StandInEndpoint] = [
    .userCode, .poll, .token, .refresh, .revoke, .responses, .handshake, .models, .usage, .accounts,
    .discovery, .jwks, .authorize, .browserToken, .browserRefresh, .browserRevoke, .apiModels, .apiResponses,
  ]

  /// Whether the requests are those for an answer.
  var isResponses: Bool { self == .responses || self == .apiResponses }

  /// The only accepted HTTP method; nil if any is accepted.
  var method: String? {
    switch self {
    case .page, .unknown, .authorize, .apiModels, .apiResponses, .apiOther: nil
    case .handshake, .models, .usage, .accounts, .discovery, .jwks: "GET"
    default: "POST"
    }
  }
}

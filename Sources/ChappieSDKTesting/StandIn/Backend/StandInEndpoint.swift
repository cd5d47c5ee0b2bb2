// SPDX-License-Identifier: Apache-2.0
import HTTPTestServer

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

  /// The endpoint of a request over HTTP.
  init(of request: HTTPServerRequest) {
    self =
      switch request.path {
      case "/api/accounts/deviceauth/usercode": .userCode
      case "/api/accounts/deviceauth/token": .poll
      case "/oauth/token": request.mediaType == "application/json" ? .refresh : .token
      case "/oauth/revoke": .revoke
      case "/backend-api/codex/responses": request.asksForWebSocket ? .handshake : .responses
      case "/backend-api/codex/models": .models
      case "/backend-api/wham/usage": .usage
      case "/backend-api/wham/accounts/check": .accounts
      case "/.well-known/openid-configuration": .discovery
      case "/.well-known/jwks.json": .jwks
      case "/api/accounts/authorize": .authorize
      case "/api/accounts/oauth/token": request.form?["grant_type"] == "refresh_token" ? .browserRefresh : .browserToken
      case "/api/accounts/oauth/revoke": .browserRevoke
      case "/v1/models": .apiModels
      case "/v1/responses": .apiResponses
      case "/codex/device": .page
      default: request.path.hasPrefix("/v1/") ? .apiOther : .unknown
      }
  }

  /// Whether the requests are those for an answer.
  var isResponses: Bool { Set.answers.contains(self) }

  /// Whether the endpoint is one of the public API.
  var isPublic: Bool { [.apiModels, .apiResponses, .apiOther].contains(self) }

  /// The accepted HTTP methods; nil if the endpoint itself refuses methods, or accepts any.
  var methods: [String]? {
    switch self {
    case .unknown, .apiModels, .apiResponses, .apiOther: nil
    case .page, .authorize: ["GET", "HEAD", "POST"]
    case .handshake, .models, .usage, .accounts, .discovery, .jwks: ["GET"]
    default: ["POST"]
    }
  }
}

extension Set<StandInEndpoint> {
  /// The endpoints that a scenario can change.
  static let scripted = Set(StandInEndpoint.allCases).subtracting([.prewarm, .apiOther, .page, .unknown])
  /// The endpoints of requests for an answer.
  static let answers: Set = [.responses, .apiResponses]
}

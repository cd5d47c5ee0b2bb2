import ChappieSDK

/// The requests to a ``StandInBackend`` so far, and its current state. It holds no token.
public struct StandInState: Sendable {
  /// The number of requests by endpoint: `usercode`, `poll`, `token`, `refresh`, `revoke`, `responses`, `prewarm`,
  /// `handshake`, `models`, `usage`, `accounts`, `page`, `unknown`; of a sign-in in the browser `discovery`, `jwks`,
  /// `authorize`, `browser-token`, `browser-refresh`, `browser-revoke`, `api-models`, `api-responses`, `api-other`.
  public var requests: [String: Int] = [:]
  /// The transport of the last request for an answer: `http` or `websocket`.
  public var lastResponsesTransport: String?
  /// The header fields of the last request for an answer by lower-case name, without the value of `authorization`. Over
  /// a WebSocket they are those of its handshake.
  public var lastResponsesHeaders: [String: String] = [:]
  /// The body of the last request for an answer, decoded.
  public var lastResponsesBody: [UInt8] = []
  /// The `x-codex-turn-state` that was issued last.
  public var turnStateGiven: String?
  /// The `x-codex-turn-state` of the last request for an answer.
  public var turnStateSentBack: String?
  /// The number of valid refresh tokens.
  public var liveRefreshTokens = 0
  /// The number of revoked refresh tokens.
  public var revokedRefreshTokens = 0
  /// The number of applications that were registered in the browser.
  public var registrations = 0
  /// The number of running answers.
  public var openStreams = 0
  /// The number of open WebSockets.
  public var openSockets = 0
  /// The number of remaining rules in the scenario.
  public var remainingRules = 0
}

extension StandInState {
  var json: ChappieJSONValue {
    let counts = StandInEndpoint.allCases.map(\.rawValue).map { ($0, ChappieJSONValue(requests[$0, default: 0])) }
    return [
      "requests": .object(Dictionary(counts) { $1 }),
      "last_responses_request": [
        "transport": .text(lastResponsesTransport), "headers": .object(lastResponsesHeaders.mapValues { .string($0) }),
        "body": (try? ChappieJSONValue(parsing: lastResponsesBody.span)) ?? .null,
      ],
      "turn_state": ["given": .text(turnStateGiven), "sent_back": .text(turnStateSentBack)],
      "live_refresh_tokens": .init(liveRefreshTokens), "revoked_refresh_tokens": .init(revokedRefreshTokens),
      "registrations": .init(registrations),
      "open_streams": .init(openStreams), "open_sockets": .init(openSockets), "remaining_rules": .init(remainingRules),
    ]
  }
}

extension ChappieJSONValue {
  fileprivate static func text(_ text: String?) -> ChappieJSONValue {
    text.map { .string($0) } ?? .null
  }
}

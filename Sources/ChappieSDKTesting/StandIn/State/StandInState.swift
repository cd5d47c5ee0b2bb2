import ChappieSDK

/// What a ``StandInBackend`` has been asked so far and what it holds. There is no token in it.
public struct StandInState: Sendable {
  /// The number of requests by endpoint: `usercode`, `poll`, `token`, `refresh`, `revoke`, `responses`, `prewarm`,
  /// `handshake`, `models`, `usage`, `accounts`, `page`, `unknown`.
  public var requests: [String: Int] = [:]
  /// How the last request for an answer came: `http` or `websocket`.
  public var lastResponsesTransport: String?
  /// The header fields of the last request for an answer by lower-case name, without the value of `authorization`;
  /// over a WebSocket they are those of its handshake.
  public var lastResponsesHeaders: [String: String] = [:]
  /// The body of the last request for an answer, decoded.
  public var lastResponsesBody: [UInt8] = []
  /// The `x-codex-turn-state` that was given out last.
  public var turnStateGiven: String?
  /// The `x-codex-turn-state` that came with the last request for an answer.
  public var turnStateSentBack: String?
  /// How many refresh tokens would be accepted now.
  public var liveRefreshTokens = 0
  /// How many refresh tokens were revoked.
  public var revokedRefreshTokens = 0
  /// How many answers are being streamed.
  public var openStreams = 0
  /// How many WebSockets are open.
  public var openSockets = 0
  /// How many rules of the scenario are left.
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
      "open_streams": .init(openStreams), "open_sockets": .init(openSockets), "remaining_rules": .init(remainingRules),
    ]
  }
}

extension ChappieJSONValue {
  fileprivate static func text(_ text: String?) -> ChappieJSONValue {
    text.map { .string($0) } ?? .null
  }
}

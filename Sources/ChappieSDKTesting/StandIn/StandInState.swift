import GLibBridge

/// What a ``StandInBackend`` has been asked so far and what it holds. There is no token in it.
public struct StandInState: Sendable {
  /// The number of requests by endpoint: `usercode`, `poll`, `token`, `refresh`, `revoke`, `responses`, `page`,
  /// `unknown`.
  public var requests: [String: Int] = [:]
  /// The header fields of the last `responses` request by lower-case name, without the value of `authorization`.
  public var lastResponsesHeaders: [String: String] = [:]
  /// The body of the last `responses` request.
  public var lastResponsesBody: [UInt8] = []
  /// How many refresh tokens would be accepted now.
  public var liveRefreshTokens = 0
  /// How many refresh tokens were revoked.
  public var revokedRefreshTokens = 0
  /// How many answers are being streamed.
  public var openStreams = 0
  /// How many rules of the scenario are left.
  public var remainingRules = 0
}

extension StandInState {
  /// Counts a request, and keeps it when it asks for an answer of the model.
  mutating func note(_ request: HTTPServerRequest, _ endpoint: StandInEndpoint) {
    requests[endpoint.rawValue, default: 0] += 1
    guard endpoint == .responses else { return }
    lastResponsesBody = request.body
    lastResponsesHeaders = [:]
    for name in request.headers.names {
      lastResponsesHeaders[name] = name == "authorization" ? "(withheld)" : request.headers[name]
    }
  }

  var json: JSONValue {
    let counts = StandInEndpoint.allCases.map { endpoint in
      JSONValue.Member(key: endpoint.rawValue, value: .init(requests[endpoint.rawValue, default: 0]))
    }
    let headers = lastResponsesHeaders.sorted { $0.key < $1.key }.map { name, value in
      JSONValue.Member(key: name, value: .string(value))
    }
    return [
      "requests": .object(counts),
      "last_responses_request": [
        "headers": .object(headers),
        "body": (try? JSONValue(parsing: lastResponsesBody)) ?? nil,
      ],
      "live_refresh_tokens": .init(liveRefreshTokens), "revoked_refresh_tokens": .init(revokedRefreshTokens),
      "open_streams": .init(openStreams), "remaining_rules": .init(remainingRules),
    ]
  }
}

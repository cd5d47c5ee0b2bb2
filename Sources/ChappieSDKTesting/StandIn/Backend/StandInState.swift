// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// The requests to a ``StandInBackend`` so far, and its current state. It holds no token.
public struct StandInState: Sendable {
  /// An application that a user has connected in the browser.
  public struct Registration: Sendable {
    /// The issued client id.
    public let clientID: String
    /// The name that the user has seen or chosen.
    public let name: String
    /// The email address of the user.
    public let user: String
    /// The ids of the hosts that have signed in, in order.
    public let hosts: [String]
    /// Whether the user has allowed plan use.
    public let allowsPlanUse: Bool
  }

  /// The number of requests by endpoint: `usercode`, `poll`, `token`, `refresh`, `revoke`, `responses`, `prewarm`,
  /// `handshake`, `models`, `usage`, `accounts`, `page`, `unknown`; of a sign-in in the browser `discovery`, `jwks`,
  /// `authorize`, `browser-token`, `browser-refresh`, `browser-revoke`, `api-models`, `api-responses`, `api-other`.
  public var requests: [String: Int] = [:]
  /// The names in the last request to each endpoint: `originator` and `client_version`, if it has them.
  public var clients: [String: [String: String]] = [:]
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
  /// The applications that users have connected in the browser.
  public var registrations: [Registration] = []
  /// The number of running answers.
  public var openStreams = 0
  /// The number of open WebSockets.
  public var openSockets = 0
  /// The number of remaining rules in the scenario.
  public var remainingRules = 0
}

extension StandInState {
  var json: ChappieJSONValue {
    let counts = StandInEndpoint.allCases.map { ($0.rawValue, ChappieJSONValue(requests[$0.rawValue, default: 0])) }
    return [
      "requests": .object(Dictionary(counts) { $1 }), "clients": .object(clients.mapValues { .texts($0) }),
      "last_responses_request": [
        "transport": .text(lastResponsesTransport), "headers": .texts(lastResponsesHeaders),
        "body": ChappieJSONValue(body: lastResponsesBody),
      ],
      "turn_state": ["given": .text(turnStateGiven), "sent_back": .text(turnStateSentBack)],
      "live_refresh_tokens": .init(liveRefreshTokens), "revoked_refresh_tokens": .init(revokedRefreshTokens),
      "registrations": .array(registrations.map(\.json)),
      "open_streams": .init(openStreams), "open_sockets": .init(openSockets), "remaining_rules": .init(remainingRules),
    ]
  }
}

extension StandInState.Registration {
  fileprivate var json: ChappieJSONValue {
    [
      "client_id": .string(clientID), "name": .string(name), "user": .string(user),
      "hosts": .array(hosts.map { .string($0) }), "plan_use": .bool(allowsPlanUse),
    ]
  }
}

extension ChappieJSONValue {
  fileprivate static func text(_ text: String?) -> ChappieJSONValue { text.map { .string($0) } ?? .null }

  fileprivate static func texts(_ texts: [String: String]) -> ChappieJSONValue {
    .object(texts.mapValues { .string($0) })
  }
}

/// The record of the requests.
extension BackendState {
  /// Counts a request, and records the names that it has for its client.
  func note(_ request: HTTPServerRequest, of endpoint: StandInEndpoint) {
    count(endpoint)
    let names = ["originator": request.headers["originator"], "client_version": request.query["client_version"]]
    state.clients[endpoint.rawValue] = names.compactMapValues { $0 }
  }

  func count(_ endpoint: StandInEndpoint) {
    state.requests[endpoint.rawValue, default: 0] += 1
  }

  /// Records a request for an answer.
  ///
  /// - Parameters:
  ///   - headers: the header fields of the request, or of the handshake of its WebSocket.
  ///   - turnState: the turn state that the client has sent back.
  func noteTurn(
    _ headers: HTTPHeaders, _ body: [UInt8], over transport: ResponsesRequest.Transport, turnState: String?
  ) {
    state.lastResponsesTransport = transport.rawValue
    state.lastResponsesBody = body
    let fields = headers.names.map { ($0, $0 == "authorization" ? "(withheld)" : headers[$0] ?? "") }
    state.lastResponsesHeaders = Dictionary(fields) { $1 }
    state.turnStateSentBack = turnState
  }

  func noteTurnState(given: String?) {
    if let given { state.turnStateGiven = given }
  }

  /// Counts an answer while it is streamed, or a WebSocket while it is open.
  func counting<Result>(
    _ count: WritableKeyPath<StandInState, Int>, _ body: () async throws -> Result
  ) async throws -> Result {
    state[keyPath: count] += 1
    defer { state[keyPath: count] -= 1 }
    return try await body()
  }
}

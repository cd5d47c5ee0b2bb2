// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// The ChatGPT backend: the state that its endpoints share, and those that show it.
@GLibActor
final class BackendState {
  let configuration: StandInConfiguration
  let tokens: TokenStore
  let scenario: ScenarioPlayer
  let record: RequestRecord
  let models: ModelCatalogue
  let usage = UsageMeter()
  private var sessions: [ObjectIdentifier: SocketSession] = [:]

  init(_ configuration: StandInConfiguration, tokens: TokenStore, scenario: ScenarioPlayer, record: RequestRecord) {
    self.configuration = configuration
    self.tokens = tokens
    self.scenario = scenario
    self.record = record
    models = ModelCatalogue(contextWindow: configuration.contextWindow)
  }

  /// The user of a request, or of the handshake of its WebSocket, which needs a valid access token.
  func user(of headers: HTTPHeaders) throws(HTTPServerResponse) -> StandInUser {
    if let user = tokens.signIn(of: headers)?.user { return user }
    throw .error(401, "token_expired", "Provided authentication token is expired. Please try signing in again.")
  }

  /// A new token that routes the requests of one turn to one server.
  static func makeTurnState() -> String { "ts_" + RandomText.hex(bytes: 16) }

  /// The player for the events of an answer, with the pace and ending of the rule or of the configuration.
  func player(_ change: StandInRule.Change?) -> EventPlayer {
    let pace = configuration.wordsPerSecond > 0 ? Duration.seconds(1 / configuration.wordsPerSecond) : .zero
    return EventPlayer(interval: change?.deltaDelay ?? pace, ending: change?.ending ?? .complete)
  }

  // MARK: Sockets

  /// Answers the handshake of a WebSocket at `/backend-api/codex/responses`.
  func connect(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    let rule = scenario.take(.handshake)
    if let answer = try await rule?.replacement() { return answer }
    if let change = rule?.change, change.ending != .complete { return .drop }
    guard configuration.allowsWebSocket else {
      throw HTTPServerResponse(.init(status: 426, headers: [("upgrade", "HTTP/1.1")]))
    }
    let user = try user(of: request.headers)
    let headers = [("x-request-id", "req_" + RandomText.hex(bytes: 16)), ("x-models-etag", models.etag)]
    return .webSocket(headers: headers + (rule?.change?.headers ?? [])) { socket in
      let session = SocketSession(self, user, request.headers, socket)
      self.sessions[ObjectIdentifier(session)] = session
      defer { self.sessions[ObjectIdentifier(session)] = nil }
      try await self.record.connected { try await session.run() }
    }
  }

  /// Closes all WebSockets, as the backend does after an hour.
  func closeSockets() {
    for session in sessions.values { session.close() }
  }

  // MARK: Endpoints

  /// `GET /backend-api/codex/models`
  func listModels(_ request: HTTPServerRequest) throws(HTTPServerResponse) -> HTTPServerResponse {
    _ = try user(of: request.headers)
    guard let version = request.query["client_version"], !version.isEmpty else {
      throw .detail("Missing query parameter: client_version")
    }
    guard let client = ClientVersion(version) else { throw .detail("Invalid query parameter: client_version") }
    return .json(models.json(for: client), headers: [("etag", models.etag)])
  }

  /// `GET /backend-api/wham/usage`
  func showUsage(_ request: HTTPServerRequest) throws(HTTPServerResponse) -> HTTPServerResponse {
    .json(usage.json(try user(of: request.headers)))
  }

  /// `GET /backend-api/wham/accounts/check`: the one workspace of each user.
  func listAccounts(_ request: HTTPServerRequest) throws(HTTPServerResponse) -> HTTPServerResponse {
    let user = try user(of: request.headers)
    guard !user.accountID.isEmpty else { return .json(["accounts": [], "account_ordering": []]) }
    // The value for a workspace without a fixed origin.
    let anywhere: ChappieJSONValue = "NO_CONSTRAINT"
    // Clients refuse an origin without TLS, even the origin that they use.
    let hasTLS = PublicAddress(of: request, configured: configuration.publicURL).hasTLS
    let id = ChappieJSONValue.string(user.accountID)
    return .json([
      "accounts": [
        [
          "id": id, "name": .null, "structure": "personal", "plan_type": .string(usage.plan ?? user.plan),
          "profile_picture_url": .null, "workspace_backend_origin": hasTLS ? anywhere : "https://chatgpt.com",
          "account_routing_override": anywhere,
        ]
      ],
      "account_ordering": [id], "default_account_id": id,
    ])
  }
}

import ChappieSDK
import GLibBridge
import HTTPTestServer

/// The state that the endpoints of the ChatGPT backend share.
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

  // MARK: Sockets

  /// Runs the session of a WebSocket.
  func run(_ session: SocketSession) async throws {
    sessions[ObjectIdentifier(session)] = session
    defer { sessions[ObjectIdentifier(session)] = nil }
    try await record.connected { try await session.run() }
  }

  /// Closes all WebSockets, as the backend does after an hour.
  func closeSockets() {
    for session in sessions.values { session.close() }
  }

  // MARK: Users

  /// The user of a request; nil without a valid access token.
  func user(of request: HTTPServerRequest) -> StandInUser? { user(of: request.headers) }

  /// The user of a request, or of the handshake of its WebSocket.
  func user(of headers: HTTPHeaders) -> StandInUser? {
    let words = (headers["authorization"] ?? "").split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    return tokens.user(ofAccessToken: String(words[1]))
  }

  static let unauthorized = HTTPServerResponse.json(
    [
      "error": [
        "message": "Provided authentication token is expired. Please try signing in again.",
        "type": "invalid_request_error", "param": .null, "code": "token_expired",
      ]
    ], status: 401)

  /// A new token that routes the requests of one turn to one server.
  static func makeTurnState() -> String { "ts_" + RandomText.hex(bytes: 16) }

  /// The player for the events of an answer, with the pace and ending of the rule or of the configuration.
  func player(_ change: StandInRule.Change?) -> EventPlayer {
    let pace = configuration.wordsPerSecond > 0 ? Duration.seconds(1 / configuration.wordsPerSecond) : .zero
    return EventPlayer(interval: change?.deltaDelay ?? pace, ending: change?.ending ?? .complete)
  }
}

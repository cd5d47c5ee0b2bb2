// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer
import Platform

/// The ChatGPT backend: the state that its endpoints share, and those that show it.
@GLibActor
final class BackendState {
  let configuration: StandInConfiguration
  let tokens: TokenStore
  /// The requests so far, without what the stores of tokens and applications know.
  var state = StandInState()
  /// The remaining rules of the scenario. A rule with `"always"` always remains.
  var rules: [StandInRule] = []
  let models: ModelCatalogue
  let usage = UsageMeter()
  /// What a rule holds goes on with the next value.
  let releases = Observers<Void>()
  private var sessions: [ObjectIdentifier: SocketSession] = [:]

  init(_ configuration: StandInConfiguration, tokens: TokenStore) {
    self.configuration = configuration
    self.tokens = tokens
    models = ModelCatalogue(contextWindow: configuration.contextWindow)
  }

  /// The user of a request, or of the handshake of its WebSocket, which needs a valid access token.
  func user(of headers: HTTPHeaders) throws(HTTPServerResponse) -> StandInUser {
    if let user = tokens.signIn(of: headers)?.user { return user }
    throw .error(401, "token_expired", "Provided authentication token is expired. Please try signing in again.")
  }

  /// A new token that routes the requests of one turn to one server.
  static func makeTurnState() -> String { "ts_" + RandomText.hex(bytes: 16) }

  /// Uses the next rule for an endpoint; nil if there is none, or if it does not satisfy `condition`.
  func take(_ endpoint: StandInEndpoint, where condition: (StandInRule) -> Bool = { _ in true }) -> StandInRule? {
    guard let index = rules.firstIndex(where: { $0.endpoint == endpoint }), condition(rules[index]) else { return nil }
    let rule = rules[index]
    if rule.times < .max { rules[index].times -= 1 }
    if rule.times == 1 { rules.remove(at: index) }
    return rule
  }

  // MARK: Sockets

  /// Answers the handshake of a WebSocket at `/backend-api/codex/responses`.
  func connect(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    let rule = take(.handshake) ?? StandInRule()
    if let answer = try await rule.replacement(releases) { return answer }
    if rule.dropAfter != nil { return .drop }
    guard configuration.allowsWebSocket else {
      throw HTTPServerResponse(status: 426, headers: [("upgrade", "HTTP/1.1")])
    }
    let user = try user(of: request.headers)
    let headers = [("x-request-id", "req_" + RandomText.hex(bytes: 16)), ("x-models-etag", models.etag)]
    return .webSocket(headers: headers + rule.headers) { socket in
      let session = SocketSession(self, user, request.headers, socket)
      self.sessions[ObjectIdentifier(session)] = session
      defer { self.sessions[ObjectIdentifier(session)] = nil }
      try await self.counting(\.openSockets) { try await session.run() }
    }
  }

  /// Closes all WebSockets, as the backend does after an hour.
  func closeSockets() {
    for session in sessions.values { session.socket.close() }
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
    let hasTLS = configuration.addresses(of: request).allSatisfy { $0.hasPrefix("https://") }
    let id = ChappieJSONValue.string(user.accountID)
    let account: ChappieJSONValue = [
      "id": id, "name": .null, "structure": "personal", "plan_type": .string(usage.plan ?? user.plan),
      "profile_picture_url": .null, "workspace_backend_origin": hasTLS ? anywhere : "https://chatgpt.com",
      "account_routing_override": anywhere,
    ]
    return .json(["accounts": [account], "account_ordering": [id], "default_account_id": id])
  }
}

/// `POST /backend-api/codex/responses`
extension BackendState {
  /// Answers a request. Rules with a `status` apply before all checks, all other rules after them.
  func respond(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    let content = Result { () throws(HTTPServerResponse) in try request.content(zstd: configuration.allowsCompression) }
    let turnState = request.headers["x-codex-turn-state"]
    noteTurn(request.headers, (try? content.get()) ?? request.body, over: .http, turnState: turnState)
    if let answer = try await take(.responses, where: \.hasOwnStatus)?.replacement(releases) { return answer }
    let user = try user(of: request.headers)
    let accepted = try ResponsesRequest(
      checking: ChappieJSONValue(body: content.get()), request.headers, over: .http, models: models)
    try usage.checkLimit(user)
    let rule = take(.responses) ?? StandInRule()
    if let answer = try await rule.replacement(releases) { return answer }
    try accepted.checkForm(rule)
    try accepted.checkItems(rule)
    usage.grow()
    var fields = [("x-request-id", "req_" + RandomText.hex(bytes: 16)), ("x-models-etag", models.etag)]
    if turnState == nil { fields.append(("x-codex-turn-state", Self.makeTurnState())) }
    fields += usage.headers + rule.headers
    noteTurnState(given: fields.last { $0.0.lowercased() == "x-codex-turn-state" }?.1)
    return stream(ResponsesAnswer(to: accepted, rule), rule, fields)
  }

  /// Streams an answer as server-sent events.
  func stream(_ answer: ResponsesAnswer, _ rule: StandInRule, _ headers: HeaderFields) -> HTTPServerAnswer {
    let usual = [("content-type", "text/event-stream"), ("cache-control", "no-cache")]
    return .stream(.init(status: 200, headers: usual + headers)) { stream in
      try await self.counting(\.openStreams) {
        let isWhole = try await self.play(answer, rule) { try await stream.write(Self.frame($0)) }
        if !isWhole, rule.dropAfter != nil { stream.abort() }
      }
    }
  }

  /// An event, framed as a server-sent event.
  private nonisolated static func frame(_ event: ChappieJSONValue) -> [UInt8] {
    let type = event["type"]?.stringValue.map { "event: \($0)\n" } ?? ""
    return Array("\(type)data: ".utf8) + event.encoded + Array("\n\n".utf8)
  }
}

/// The next release of what a rule holds.
@GLibActor
final class Release {
  private let released = Wait()
  private let observation: Observation

  init(_ releases: Observers<Void>) {
    observation = releases.observe { [released] in released.finish() }
  }

  /// - Throws: `CancellationError` if the client leaves before.
  func wait() async throws {
    await released.valueOrCancelled()
    try Task.checkCancellation()
  }
}

/// The pace and the end of an answer.
extension BackendState {
  /// Writes the events of an answer, at the pace of the rule or of the configuration.
  ///
  /// - Returns: whether all are written; false if the rule ends the answer before.
  func play(
    _ answer: ResponsesAnswer, _ rule: StandInRule, _ write: @GLibActor (ChappieJSONValue) async throws -> Void
  ) async throws -> Bool {
    let pace = configuration.wordsPerSecond > 0 ? Duration.seconds(1 / configuration.wordsPerSecond) : .zero
    let (interval, hold, last) = (rule.deltaDelay ?? pace, rule.holdAfter, rule.dropAfter ?? rule.endAfter)
    let start = ContinuousClock.now
    // A client can see the last delta before this answer waits.
    let release = Release(releases)
    var deltas = 0
    for event in answer.events.lazy.map({ $0() }) {
      guard let type = event["type"]?.stringValue, type.hasSuffix(".delta") else {
        try await write(event)
        continue
      }
      if deltas == last { break }
      if deltas == hold { try await release.wait() }
      if interval > .zero {
        // Counted from the start, so that delays do not add up.
        let rest = start + interval * deltas - .now
        if rest > .zero { try await sleep(for: rest) }
      } else if deltas % 32 == 31 {
        // Without a yield, a fast reader would block all other clients.
        await Task.yield()
      }
      try await write(event)
      deltas += 1
      if deltas == last { break }
    }
    return deltas != last
  }
}

extension HTTPServerRequest {
  /// The longest body of a request for an answer, in bytes, compressed or not.
  private static let contentLimit = 16 << 20

  /// The body of a request for an answer, decoded.
  ///
  /// - Parameter zstd: whether a compressed body is accepted.
  func content(zstd: Bool) throws(HTTPServerResponse) -> [UInt8] {
    let tooLong = HTTPServerResponse.detail("The request body is too long", status: 413)
    guard body.count <= Self.contentLimit else { throw tooLong }
    switch headers["content-encoding"]?.lowercased() {
    case nil, "identity": return body
    case "zstd" where zstd:
      do throws(Zstandard.DecodingError) {
        return try Zstandard.decode(body, limit: Self.contentLimit)
      } catch {
        throw error == .tooLong ? tooLong : .detail("The request body is not zstd")
      }
    case .some(let coding): throw .detail("Unsupported content encoding: \(coding)", status: 415)
    }
  }
}

import FoundationEssentials
import GLibBridge

/// `POST /backend-api/codex/responses`, as in section 3 of the protocol.
@GLibActor
final class ResponsesEndpoint {
  private let configuration: StandInConfiguration
  private let tokens: TokenStore
  private let scenario: ScenarioPlayer
  private var usage = UsageHeaders()

  /// How many answers are being streamed.
  private(set) var openStreams = 0

  init(configuration: StandInConfiguration, tokens: TokenStore, scenario: ScenarioPlayer) {
    self.configuration = configuration
    self.tokens = tokens
    self.scenario = scenario
  }

  /// Answers a request. Rules that answer with a status of their own come before all checks, all others after them.
  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    if let rule = scenario.take(.responses, where: \.hasOwnStatus), let answer = try await rule.replacement() {
      return answer
    }
    guard tokens.user(ofAccessToken: Self.bearer(of: request)) != nil else { return .whole(Self.unauthorized) }
    if let encoding = request.headers["content-encoding"], encoding.lowercased() != "identity" {
      return .whole(.detail("Unsupported content encoding: \(encoding)", status: 415))
    }
    let accepted: ResponsesRequest
    do throws(ResponsesRequest.Refusal) {
      accepted = try ResponsesRequest(checking: request.body, models: configuration.models)
    } catch {
      return .whole(.detail(error.detail))
    }
    let rule = scenario.take(.responses)
    if let answer = try await rule?.replacement() { return answer }
    try await rule?.waitForDelay()
    return stream(rule?.change ?? .none, answer: answer(to: accepted, rule, bytes: request.body.count), for: request)
  }

  private func answer(to request: ResponsesRequest, _ rule: StandInRule?, bytes: Int) -> ResponsesAnswer {
    ResponsesAnswer(
      text: rule?.change?.text ?? ResponsesAnswer.echo(request), model: request.model, inputBytes: bytes,
      createdAt: Int(Date().timeIntervalSince1970))
  }

  private func stream(
    _ change: StandInRule.Change, answer: ResponsesAnswer, for request: HTTPServerRequest
  ) -> HTTPServerAnswer {
    let pace = configuration.wordsPerSecond > 0 ? Duration.seconds(1 / configuration.wordsPerSecond) : .zero
    let events = EventStream(interval: change.deltaDelay ?? pace, ending: change.ending)
    return .stream(head(for: request, change.headers)) { stream in
      self.openStreams += 1
      defer { self.openStreams -= 1 }
      if let script = change.events {
        try await events.write(script.count, to: stream) { script[$0] }
      } else {
        try await events.write(answer.count, to: stream, event: answer.event)
      }
    }
  }

  // MARK: Heads

  private func head(
    for request: HTTPServerRequest, _ more: [(name: String, value: String)]
  ) -> HTTPServerResponse.Head {
    let fields: [(name: String, value: String)] = [
      ("content-type", "text/event-stream"), ("cache-control", "no-cache"),
      ("x-request-id", "req_" + RandomText.hex(bytes: 16)),
      ("x-codex-turn-state", request.headers["x-codex-turn-state"] ?? "ts_" + RandomText.hex(bytes: 16)),
    ]
    return HTTPServerResponse.Head(status: 200, headers: fields + usage.next() + more)
  }

  private static func bearer(of request: HTTPServerRequest) -> String {
    let words = (request.headers["authorization"] ?? "").split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else { return "" }
    return String(words[1])
  }

  private static let unauthorized = HTTPServerResponse.json(
    [
      "error": [
        "message": "Provided authentication token is expired. Please try signing in again.",
        "type": "invalid_request_error", "param": nil, "code": "token_expired",
      ]
    ], status: 401)
}

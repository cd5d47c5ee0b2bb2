import ChappieSDK
import GLibBridge
import HTTPTestServer

/// `POST /backend-api/codex/responses`.
@GLibActor
struct ResponsesEndpoint {
  let backend: BackendState

  /// Answers a request. Rules with a `status` apply before all checks, all other rules after them.
  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    let content = RequestContent(request, zstd: backend.configuration.allowsCompression)
    backend.record.noteTurn(request.headers, content.bytes ?? request.body, over: .http)
    if let rule = backend.scenario.take(.responses, where: \.hasOwnStatus), let answer = try await rule.replacement() {
      return answer
    }
    guard let user = backend.user(of: request) else { return .whole(BackendState.unauthorized) }
    guard case .decoded(let body) = content else { return .whole(content.refusal) }
    let accepted: ResponsesRequest
    do throws(InvalidRequest) {
      accepted = try ResponsesRequest(
        checking: (try? ChappieJSONValue(parsing: body.span)) ?? .null, request.headers, over: .http,
        models: backend.models)
    } catch {
      return .whole(.detail(error.detail))
    }
    if let refusal = backend.usage.refusal(user) { return .whole(refusal) }
    let rule = backend.scenario.take(.responses)
    if let answer = try await rule?.replacement() { return answer }
    try await rule?.waitForDelay()
    if let refusal = LiteForm.refusal(accepted, rule?.change) { return .whole(refusal) }
    return stream(rule?.change, ResponsesAnswer(to: accepted, rule?.change), for: request)
  }

  private func stream(
    _ change: StandInRule.Change?, _ answer: ResponsesAnswer, for request: HTTPServerRequest
  ) -> HTTPServerAnswer {
    let player = backend.player(change)
    let head = head(for: request, change?.headers ?? [])
    return .stream(head) { stream in
      try await backend.record.streaming {
        let events = AnswerEvents(answer, change)
        let outcome = try await player.play(events.count, event: events.event) { event in
          try await stream.write(Self.frame(event))
        }
        if case .dropped = outcome { stream.abort() }
      }
    }
  }

  /// An event, framed as a server-sent event.
  private nonisolated static func frame(_ event: ChappieJSONValue) -> [UInt8] {
    var frame: [UInt8] = []
    if let type = event["type"]?.stringValue { frame += "event: \(type)\n".utf8 }
    frame += "data: ".utf8
    frame += event.encoded
    frame += "\n\n".utf8
    return frame
  }

  private func head(
    for request: HTTPServerRequest, _ more: [(name: String, value: String)]
  ) -> HTTPServerResponse.Head {
    var fields: [(name: String, value: String)] = [
      ("content-type", "text/event-stream"), ("cache-control", "no-cache"),
      ("x-request-id", "req_" + RandomText.hex(bytes: 16)), ("x-models-etag", backend.models.etag),
    ]
    if request.headers["x-codex-turn-state"] == nil {
      fields.append(("x-codex-turn-state", BackendState.makeTurnState()))
    }
    backend.usage.grow()
    fields += backend.usage.headers + more
    backend.record.noteTurnState(given: fields.last { $0.name.lowercased() == "x-codex-turn-state" }?.value)
    return HTTPServerResponse.Head(status: 200, headers: fields)
  }
}

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
    let head = head(for: request, rule?.change?.headers ?? [])
    return backend.stream(ResponsesAnswer(to: accepted, rule?.change), rule?.change, head)
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

import ChappieSDK
import GLibBridge
import HTTPTestServer

/// `POST /v1/responses`.
@GLibActor
struct PublicResponsesEndpoint {
  let access: PublicAPIAccess
  let backend: BackendState

  /// Answers a request. Rules with a fixed answer apply before all checks, all other rules after them.
  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    backend.record.noteTurn(request.headers, request.body, over: .http)
    if let rule = backend.scenario.take(.apiResponses, where: \.hasOwnStatus),
      let answer = try await rule.replacement()
    {
      return answer
    }
    let accepted: ResponsesRequest
    do throws(PublicAPIAccess.Refusal) {
      guard request.method == "POST" else { throw .init(name: "subscription_sharing_route_not_supported") }
      _ = try access.signIn(of: request, isModelCall: true)
      let content = RequestContent(request, zstd: false)
      guard case .decoded(let body) = content else { return .whole(content.refusal) }
      accepted = try check((try? ChappieJSONValue(parsing: body.span)) ?? .null, request)
    } catch {
      return .whole(error.response(at: .apiResponses))
    }
    let rule = backend.scenario.take(.apiResponses)
    if let answer = try await rule?.replacement() { return answer }
    try await rule?.waitForDelay()
    let head = HTTPServerResponse.Head(
      status: 200,
      headers: [("content-type", "text/event-stream"), ("cache-control", "no-cache")] + (rule?.change?.headers ?? []))
    return backend.stream(ResponsesAnswer(to: accepted, rule?.change), rule?.change, head, Self.withoutOutput)
  }

  private func check(
    _ body: ChappieJSONValue, _ request: HTTPServerRequest
  ) throws(PublicAPIAccess.Refusal) -> ResponsesRequest {
    let unsupported = PublicAPICapabilities.unsupported(in: body)
    let lacksModel = backend.models[body["model"]?.stringValue ?? ""] == nil
    if body.objectValue != nil, let param = unsupported ?? (lacksModel ? "model" : nil) {
      throw .init(name: "subscription_sharing_unsupported_capability", param: param)
    }
    do throws(InvalidRequest) {
      return try ResponsesRequest(checking: body, request.headers, over: .http, models: backend.models)
    } catch {
      throw .init(name: "invalid_request_error", message: error.detail)
    }
  }

  /// The event that ends an answer has no output here, so a client must put it together from the earlier events.
  private nonisolated static func withoutOutput(_ event: ChappieJSONValue) -> ChappieJSONValue {
    guard event["type"] == "response.completed", var members = event.objectValue,
      var response = members["response"]?.objectValue
    else { return event }
    response["output"] = []
    members["response"] = .object(response)
    return .object(members)
  }
}

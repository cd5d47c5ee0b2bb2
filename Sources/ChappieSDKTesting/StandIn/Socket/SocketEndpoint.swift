import GLibBridge
import HTTPTestServer

/// The WebSocket at `/backend-api/codex/responses`.
@GLibActor
struct SocketEndpoint {
  let backend: BackendState

  /// Answers a handshake.
  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    let rule = backend.scenario.take(.handshake)
    if let answer = try await rule?.replacement() { return answer }
    try await rule?.waitForDelay()
    if let change = rule?.change, change.ending != .complete { return .drop }
    guard backend.configuration.allowsWebSocket else {
      return .whole(HTTPServerResponse(.init(status: 426, headers: [("upgrade", "HTTP/1.1")])))
    }
    guard let user = backend.user(of: request) else { return .whole(BackendState.unauthorized) }
    let headers = [
      ("x-request-id", "req_" + RandomText.hex(bytes: 16)), ("x-models-etag", backend.models.etag),
    ]
    return .webSocket(headers: headers + (rule?.change?.headers ?? [])) { socket in
      try await backend.run(SocketSession(backend, user, request.headers, socket))
    }
  }
}

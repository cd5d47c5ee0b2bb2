import GLibBridge
import HTTPTestServer

/// `GET /backend-api/wham/usage`.
@GLibActor
struct UsageEndpoint {
  let backend: BackendState

  func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let user = backend.user(of: request) else { return BackendState.unauthorized }
    return .json(backend.usage.json(user))
  }
}

import GLibBridge
import HTTPTestServer

/// `GET /backend-api/codex/models`.
@GLibActor
struct ModelsEndpoint {
  let backend: BackendState

  func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard backend.user(of: request) != nil else { return BackendState.unauthorized }
    guard let version = request.query["client_version"], !version.isEmpty else {
      return .detail("Missing query parameter: client_version")
    }
    guard let client = ClientVersion(version) else { return .detail("Invalid query parameter: client_version") }
    return .json(backend.models.json(for: client), headers: [("etag", backend.models.etag)])
  }
}

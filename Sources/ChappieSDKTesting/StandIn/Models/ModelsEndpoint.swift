import GLibBridge

/// `GET /backend-api/codex/models`, as in section 5.1 of the protocol.
@GLibActor
struct ModelsEndpoint {
  let backend: Backend

  func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard backend.user(of: request) != nil else { return Backend.unauthorized }
    guard request.query["client_version"]?.isEmpty == false else {
      return .detail("Missing query parameter: client_version")
    }
    return .json(backend.models.json, headers: [("etag", backend.models.etag)])
  }
}

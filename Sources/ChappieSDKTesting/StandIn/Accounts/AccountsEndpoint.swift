import ChappieSDK
import GLibBridge
import HTTPTestServer

/// `GET /backend-api/wham/accounts/check`: the one workspace of each user.
@GLibActor
struct AccountsEndpoint {
  let backend: BackendState

  /// The value for a workspace without a fixed origin.
  private static let anywhere: ChappieJSONValue = "NO_CONSTRAINT"

  func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let user = backend.user(of: request) else { return BackendState.unauthorized }
    guard !user.accountID.isEmpty else { return .json(["accounts": [], "account_ordering": []]) }
    // Clients refuse an origin without TLS, even the origin that they use.
    let address = PublicAddress(of: request, configured: backend.configuration.publicURL)
    let origin = address.hasTLS ? Self.anywhere : "https://chatgpt.com"
    let id = ChappieJSONValue.string(user.accountID)
    return .json([
      "accounts": [
        [
          "id": id, "name": .null, "structure": "personal", "plan_type": .string(backend.usage.plan ?? user.plan),
          "profile_picture_url": .null, "workspace_backend_origin": origin,
          "account_routing_override": Self.anywhere,
        ]
      ],
      "account_ordering": [id], "default_account_id": id,
    ])
  }
}

import ChappieSDK
import GLibBridge
import HTTPTestServer

/// `GET /v1/models`: the models, in the order of the server, with fewer members than the Codex backend sends.
@GLibActor
struct PublicModelsEndpoint {
  let access: PublicAPIAccess
  let models: ModelCatalogue

  private nonisolated static let members: Set = [
    "slug", "display_name", "description", "visibility", "context_window", "input_modalities",
    "supported_reasoning_levels", "default_reasoning_level",
  ]

  /// The version whose models a client sees that names no version.
  private static let unnamedVersion = ClientVersion("0.155.0")

  func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
    do throws(PublicAPIAccess.Refusal) {
      guard request.method == "GET" else { throw .init(name: "subscription_sharing_route_not_supported") }
      _ = try access.signIn(of: request, isModelCall: false)
      guard let version = request.query["client_version"].map(ClientVersion.init) ?? Self.unnamedVersion else {
        throw .init(name: "invalid_request_error", message: "client_version is not a version.")
      }
      let entries = models.json(for: version)["models"]?.arrayValue ?? []
      return .json(["models": .array(entries.map(Self.reduced))])
    } catch {
      return error.response(at: .apiModels)
    }
  }

  private nonisolated static func reduced(_ entry: ChappieJSONValue) -> ChappieJSONValue {
    .object((entry.objectValue ?? [:]).filter { members.contains($0.key) })
  }
}

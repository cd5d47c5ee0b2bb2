import ChappieSDK
import GLibBridge

/// The models of the backend, in the order in which they are handed out.
@GLibActor
final class ModelCatalogue {
  private var models: [Model]
  /// Models that are neither listed nor answer.
  private var retired: Set<String>

  /// What tells one catalogue from another.
  private(set) var etag = ""

  /// The catalogue of today.
  ///
  /// - Parameter contextWindow: the context window of all models; nil leaves each its own.
  init(contextWindow: Int?) {
    models = Self.today.map { model in
      guard let window = contextWindow.map({ ChappieJSONValue($0) }) else { return model }
      let small = ["context_window": window, "max_context_window": window]
      return Model(slug: model.slug, (model.json.objectValue ?? [:]).merging(small) { $1 })
    }
    retired = Self.retiredToday
    renewEtag()
  }

  /// Replaces the catalogue with a list of models, bare or as `{"models": […]}`; none of them is retired.
  func replace(_ json: ChappieJSONValue) throws(Refusal) {
    guard let list = json["models"]?.arrayValue ?? json.arrayValue else {
      throw Refusal(detail: "a catalogue is a list of models")
    }
    var models: [Model] = []
    for entry in list { models.append(try Model(entry)) }
    self.models = models
    retired = []
    renewEtag()
  }

  /// Retires a model, or takes that back.
  ///
  /// - Returns: whether the catalogue has the model.
  func setRetired(_ slug: String, _ isRetired: Bool) -> Bool {
    guard models.contains(where: { $0.slug == slug }) else { return false }
    if isRetired { retired.insert(slug) } else { retired.remove(slug) }
    renewEtag()
    return true
  }

  /// What is handed out to a client.
  func json(for client: ClientVersion) -> ChappieJSONValue {
    ["models": .array(offered.filter { $0.minimumClient.map { $0 <= client } ?? true }.map(\.json))]
  }

  /// A model that may be asked; nil for one that is retired or unknown.
  subscript(slug: String) -> Model? {
    offered.first { $0.slug == slug }
  }

  private var offered: [Model] { models.filter { !retired.contains($0.slug) } }

  private func renewEtag() {
    let digest = SHA256.digest(of: ChappieJSONValue.array(offered.map(\.json)).encoded).prefix(8)
    etag = "\"" + digest.map { String($0, radix: 16) }.joined() + "\""
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import SecretMemory

/// The models of the backend, in the order of the list.
@GLibActor
final class ModelCatalogue {
  private var models: [Model]
  /// The slugs of retired models: they are not listed, and requests for them are refused.
  private var retired: Set<String>

  /// Changes with each change of the list.
  private(set) var etag = ""

  /// Makes the current catalogue.
  ///
  /// - Parameter contextWindow: the context window of all models in tokens; nil keeps the window of each model.
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
  func replace(_ json: ChappieJSONValue) throws(StandInScenarioError) {
    guard let list = json["models"]?.arrayValue ?? json.arrayValue else {
      throw StandInScenarioError(description: "a catalogue is a list of models")
    }
    var models: [Model] = []
    for entry in list { models.append(try Model(entry)) }
    self.models = models
    retired = []
    renewEtag()
  }

  /// Retires or restores a model.
  ///
  /// - Returns: whether the catalogue has the model.
  func setRetired(_ slug: String, _ isRetired: Bool) -> Bool {
    guard models.contains(where: { $0.slug == slug }) else { return false }
    if isRetired { retired.insert(slug) } else { retired.remove(slug) }
    renewEtag()
    return true
  }

  /// The list for a client of this version.
  func json(for client: ClientVersion) -> ChappieJSONValue {
    ["models": .array(offered.filter { $0.minimumClient.map { $0 <= client } ?? true }.map(\.json))]
  }

  /// The model with a slug; nil if it is retired or unknown.
  subscript(slug: String) -> Model? {
    offered.first { $0.slug == slug }
  }

  private var offered: [Model] { models.filter { !retired.contains($0.slug) } }

  private func renewEtag() {
    let digest = SHA256.digest(of: ChappieJSONValue.array(offered.map(\.json)).encoded).prefix(8)
    etag = "\"" + digest.map { String($0, radix: 16) }.joined() + "\""
  }
}

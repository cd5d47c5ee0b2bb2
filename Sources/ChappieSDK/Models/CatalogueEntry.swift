// SPDX-License-Identifier: Apache-2.0

/// A model of the backend's catalogue, with the requirements for requests to it.
struct CatalogueEntry: Sendable, Equatable {
  let model: ChappieModel
  /// Whether lists show the model. A hidden model still answers requests with its slug.
  let isListed: Bool
  let form: RequestModel.Form
  /// The backend's own value for the effort `ultra`.
  let ultra: String?

  init(_ model: ChappieModel, isListed: Bool = true, form: RequestModel.Form = .plain, ultra: String? = nil) {
    self.model = model
    self.isListed = isListed
    self.form = form
    self.ultra = ultra
  }

  /// Parses the backend's answer into entries, best first: by priority, then in the backend's order.
  ///
  /// Entries without a usable slug are left out. A repeated slug counts once.
  ///
  /// - Returns: the entries, or nil when the answer is no list of models.
  static func list(_ answer: ChappieJSONValue, of backend: BackendProfile) -> [CatalogueEntry]? {
    guard case .array(let elements) = answer["models"] else { return nil }
    var slugs: Set<String> = []
    let entries = elements.compactMap { CatalogueEntry($0, of: backend) }.filter {
      slugs.insert($0.model.slug).inserted
    }
    return entries.enumerated()
      .sorted { ($0.element.model.priority, $0.offset) < ($1.element.model.priority, $1.offset) }.map(\.element)
  }

  private init?(_ json: ChappieJSONValue, of backend: BackendProfile) {
    guard let model = ChappieModel(json, isServed: backend.servesListedModels) else { return nil }
    self.init(
      model, isListed: json["visibility"]?.stringValue.map { $0 == "list" } ?? true,
      form: backend.hasLiteForm && json["use_responses_lite"]?.boolValue == true ? .lite : .plain,
      ultra: json["multi_agent_reasoning_effort"]?.stringValue.flatMap { ChappieModel.isSlug($0) ? $0 : nil })
  }
}

extension RequestModel {
  init(_ entry: CatalogueEntry) {
    self.init(
      slug: entry.model.slug, form: entry.form, efforts: entry.model.supportedReasoningLevels, ultra: entry.ultra)
  }
}

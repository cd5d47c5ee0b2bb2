/// A model of the backend's catalogue, with what requests to it must be like.
struct CatalogueEntry: Sendable, Equatable {
  let model: ChappieModel
  /// Whether it is for lists. One that is not can be asked all the same, by who knows its slug.
  let isListed: Bool
  let form: RequestModel.Form
  /// What the backend wants to be told for the effort `ultra`.
  let ultra: String?

  init(_ model: ChappieModel, isListed: Bool = true, form: RequestModel.Form = .plain, ultra: String? = nil) {
    self.model = model
    self.isListed = isListed
    self.form = form
    self.ultra = ultra
  }

  /// The entries of the backend's answer, best first: by priority, and within one priority as the backend has them.
  ///
  /// What has no usable slug is left out. A slug that comes twice counts once.
  ///
  /// - Returns: nil when the answer is no list of models.
  static func list(_ answer: ChappieJSONValue) -> [CatalogueEntry]? {
    guard case .array(let elements) = answer["models"] else { return nil }
    var slugs: Set<String> = []
    let entries = elements.compactMap(CatalogueEntry.init).filter { slugs.insert($0.model.slug).inserted }
    return entries.enumerated()
      .sorted { ($0.element.model.priority, $0.offset) < ($1.element.model.priority, $1.offset) }.map(\.element)
  }

  private init?(_ json: ChappieJSONValue) {
    guard let model = ChappieModel(json) else { return nil }
    self.init(
      model, isListed: json["visibility"]?.stringValue.map { $0 == "list" } ?? true,
      form: json["use_responses_lite"]?.boolValue == true ? .lite : .plain,
      ultra: json["multi_agent_reasoning_effort"]?.stringValue.flatMap { ChappieModel.isSlug($0) ? $0 : nil })
  }
}

extension RequestModel {
  init(_ entry: CatalogueEntry) {
    self.init(
      slug: entry.model.slug, form: entry.form, efforts: entry.model.supportedReasoningLevels, ultra: entry.ultra)
  }
}

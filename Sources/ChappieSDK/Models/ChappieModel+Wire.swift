extension ChappieModel {
  /// Parses a model of the backend's list. Nil without a usable slug.
  ///
  /// A missing or invalid value means not supported. A model without modalities reads text, and one without a priority
  /// comes last. Texts are reduced to one line without terminal control characters, because users see them.
  ///
  /// - Parameter isServed: whether the API supports a model of which the list says nothing.
  init?(_ entry: ChappieJSONValue, isServed: Bool = false) {
    guard let slug = entry["slug"]?.stringValue, Self.isSlug(slug) else { return nil }
    let name = entry["display_name"]?.stringValue.map(Redaction.message) ?? ""
    let description = entry["description"]?.stringValue.map(Redaction.message) ?? ""
    let modalities = Self.words(entry["input_modalities"])
    let levels = entry["supported_reasoning_levels"]?.arrayValue?.map { $0["effort"] ?? $0 } ?? []
    self.init(
      slug: slug, displayName: name.isEmpty ? slug : name, description: description.isEmpty ? nil : description,
      supportedInAPI: entry["supported_in_api"]?.boolValue ?? isServed,
      priority: entry["priority"]?.number(in: Int(Int32.min)...Int(Int32.max)) ?? .max,
      inputModalities: modalities.isEmpty ? ["text"] : modalities, supportedReasoningLevels: Self.words(.array(levels)),
      supportsSearchTool: entry["supports_search_tool"]?.boolValue ?? false,
      supportsParallelToolCalls: entry["supports_parallel_tool_calls"]?.boolValue ?? false,
      contextWindow: entry["context_window"]?.number(in: 1...Int(UInt32.max)))
  }

  private static func words(_ list: ChappieJSONValue?) -> [String] {
    list?.arrayValue?.compactMap(\.stringValue).filter(isSlug) ?? []
  }

  /// Whether `text` is a slug: 1 to 255 printable ASCII characters without spaces and without a part of a token.
  static func isSlug(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && !Redaction.holdsPartOfToken(text)
  }
}

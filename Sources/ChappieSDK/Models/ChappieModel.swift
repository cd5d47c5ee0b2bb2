// SPDX-License-Identifier: Apache-2.0

/// A model in the backend's offer.
public struct ChappieModel: Sendable, Hashable, Codable, Identifiable {
  /// The model's name in requests.
  public let slug: String
  /// The name for users.
  public let displayName: String
  /// A sentence about the model for users; nil when the backend does not state one.
  public internal(set) var description: String?
  /// Whether programs may use the model with an API key. A plan covers the model in either case.
  public internal(set) var supportedInAPI: Bool
  /// The backend's order. The lowest value is best.
  public internal(set) var priority: Int
  /// The kinds of input, such as `text` and `image`.
  public internal(set) var inputModalities: [String]
  /// The supported reasoning efforts.
  public internal(set) var supportedReasoningLevels: [String]
  /// Whether the model can find tools by a search. This is not web search.
  public internal(set) var supportsSearchTool: Bool
  /// Whether the model can search the web. Nil if the backend does not tell.
  public internal(set) var searchesWeb: Bool?
  /// Whether the model can call several tools at once.
  public internal(set) var supportsParallelToolCalls: Bool
  /// The context window in tokens. Nil when the backend does not state it.
  public internal(set) var contextWindow: Int?

  /// The same value as ``slug``.
  public var id: String { slug }

  /// Creates a model, such as for a preview. Parameters are as the properties.
  public init(
    slug: String, displayName: String, description: String? = nil, supportedInAPI: Bool = true, priority: Int = 0,
    inputModalities: [String] = ["text"], supportedReasoningLevels: [String] = [], supportsSearchTool: Bool = false,
    searchesWeb: Bool? = nil, supportsParallelToolCalls: Bool = false, contextWindow: Int? = nil
  ) {
    self.slug = slug
    self.displayName = displayName
    self.description = description
    self.supportedInAPI = supportedInAPI
    self.priority = priority
    self.inputModalities = inputModalities
    self.supportedReasoningLevels = supportedReasoningLevels
    self.supportsSearchTool = supportsSearchTool
    self.searchesWeb = searchesWeb
    self.supportsParallelToolCalls = supportsParallelToolCalls
    self.contextWindow = contextWindow
  }
}

extension ChappieModel {
  /// Parses a model of the backend's list. Nil without a usable slug.
  ///
  /// A missing or invalid value means not supported. A model without modalities reads text, and one without a priority
  /// comes last. Texts are reduced to one line without terminal control characters, because users see them.
  ///
  /// - Parameters:
  ///   - isServed: whether the API supports a model of which the list says nothing.
  ///   - tellsOfSearch: whether the list tells which models search the web.
  init?(_ entry: ChappieJSONValue, isServed: Bool = false, tellsOfSearch: Bool = false) {
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
      searchesWeb: tellsOfSearch ? entry["web_search_tool_type"]?.stringValue != nil : nil,
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

/// Selects models. A nil property matches every model.
public struct ChappieModelFilter: Sendable, Hashable {
  /// The required value of ``ChappieModel/supportedInAPI``.
  public var supportedInAPI: Bool?
  /// A required kind of input, such as `image`.
  public var inputModality: String?
  /// The required value of ``ChappieModel/supportsSearchTool``.
  public var supportsSearchTool: Bool?
  /// The required value of ``ChappieModel/supportsParallelToolCalls``.
  public var supportsParallelToolCalls: Bool?
  /// A required reasoning effort, such as `high`.
  public var reasoningLevel: String?

  /// Creates a filter. What is left out matches every model.
  public init(
    supportedInAPI: Bool? = nil, inputModality: String? = nil, supportsSearchTool: Bool? = nil,
    supportsParallelToolCalls: Bool? = nil, reasoningLevel: String? = nil
  ) {
    self.supportedInAPI = supportedInAPI
    self.inputModality = inputModality
    self.supportsSearchTool = supportsSearchTool
    self.supportsParallelToolCalls = supportsParallelToolCalls
    self.reasoningLevel = reasoningLevel
  }

  /// The filter for programs that show text: the API supports the model, and the model reads text.
  public static let `default` = ChappieModelFilter(supportedInAPI: true, inputModality: "text")

  /// Whether `model` has everything that this filter requires.
  public func matches(_ model: ChappieModel) -> Bool {
    [nil, model.supportedInAPI].contains(supportedInAPI)
      && [nil, model.supportsSearchTool].contains(supportsSearchTool)
      && [nil, model.supportsParallelToolCalls].contains(supportsParallelToolCalls)
      && inputModality.map(model.inputModalities.contains) != false
      && reasoningLevel.map(model.supportedReasoningLevels.contains) != false
  }
}

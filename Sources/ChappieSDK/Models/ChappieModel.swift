/// A model in the backend's offer.
public struct ChappieModel: Sendable, Hashable, Identifiable {
  /// The model's name in requests.
  public let slug: String
  /// The name for users.
  public let displayName: String
  public let description: String?
  /// Whether programs may use the model with an API key. A plan covers the model in either case.
  public let supportedInAPI: Bool
  /// The backend's order. The lowest value is best.
  public let priority: Int
  /// The kinds of input, such as `text` and `image`.
  public let inputModalities: [String]
  /// The supported reasoning efforts.
  public let supportedReasoningLevels: [String]
  public let supportsSearchTool: Bool
  public let supportsParallelToolCalls: Bool
  /// The context window in tokens. Nil when the backend does not state it.
  public let contextWindow: Int?

  /// The same value as ``slug``.
  public var id: String { slug }

  package init(
    slug: String, displayName: String, description: String? = nil, supportedInAPI: Bool = true, priority: Int = 0,
    inputModalities: [String] = ["text"], supportedReasoningLevels: [String] = [], supportsSearchTool: Bool = false,
    supportsParallelToolCalls: Bool = false, contextWindow: Int? = nil
  ) {
    self.slug = slug
    self.displayName = displayName
    self.description = description
    self.supportedInAPI = supportedInAPI
    self.priority = priority
    self.inputModalities = inputModalities
    self.supportedReasoningLevels = supportedReasoningLevels
    self.supportsSearchTool = supportsSearchTool
    self.supportsParallelToolCalls = supportsParallelToolCalls
    self.contextWindow = contextWindow
  }
}

/// A model that the backend offers.
public struct ChappieModel: Sendable, Hashable, Identifiable {
  /// What a request names the model by.
  public let slug: String
  /// The name for people.
  public let displayName: String
  public let description: String?
  /// Whether programs may use it with an API key; with a plan it can be used either way.
  public let supportedInAPI: Bool
  /// The backend's order: the lowest is best.
  public let priority: Int
  /// What it reads, such as `text` and `image`.
  public let inputModalities: [String]
  /// The reasoning efforts that it takes.
  public let supportedReasoningLevels: [String]
  public let supportsSearchTool: Bool
  public let supportsParallelToolCalls: Bool
  /// How many tokens a conversation may have, where the backend says it.
  public let contextWindow: Int?

  /// The same as ``slug``.
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

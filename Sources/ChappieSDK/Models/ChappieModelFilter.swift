/// Selects models. A nil property matches every model.
public struct ChappieModelFilter: Sendable, Hashable {
  public var supportedInAPI: Bool?
  /// A required kind of input, such as `image`.
  public var inputModality: String?
  public var supportsSearchTool: Bool?
  public var supportsParallelToolCalls: Bool?
  /// A required reasoning effort, such as `high`.
  public var reasoningLevel: String?

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

  public func matches(_ model: ChappieModel) -> Bool {
    Self.agree(supportedInAPI, model.supportedInAPI)
      && Self.agree(supportsSearchTool, model.supportsSearchTool)
      && Self.agree(supportsParallelToolCalls, model.supportsParallelToolCalls)
      && inputModality.map(model.inputModalities.contains) != false
      && reasoningLevel.map(model.supportedReasoningLevels.contains) != false
  }

  private static func agree(_ wanted: Bool?, _ value: Bool) -> Bool {
    wanted.map { $0 == value } ?? true
  }
}

/// One call of a tool by the model. Its arguments fit the tool's schema.
public struct ChappieToolCall: Sendable, Hashable, Identifiable {
  /// Identifies this call within its conversation.
  public let id: String
  /// The tool's name.
  public let name: String
  /// The arguments: JSON text, as the model wrote it.
  public let arguments: String

  /// The parsed arguments; nil if they are not valid JSON.
  public var argumentsJSON: ChappieJSONValue? {
    try? ChappieJSONValue(json: arguments)
  }

  public init(id: String, name: String, arguments: String) {
    self.id = id
    self.name = name
    self.arguments = arguments
  }
}

/// The result of a tool call. The model reads its output.
public struct ChappieToolResult: Sendable, Hashable {
  /// Plain text, or JSON text.
  public let output: String
  /// Whether the tool failed. The output then gives the reason.
  public let isFailure: Bool

  public init(output: String) {
    self.output = output
    isFailure = false
  }

  /// Creates a result from the JSON text of `output`.
  public init(output: ChappieJSONValue) {
    self.init(output: output.json)
  }

  /// Creates a failed result; `failure` tells the model the reason.
  public init(failure: String) {
    output = failure
    isFailure = true
  }
}

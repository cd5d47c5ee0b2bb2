/// One call of a tool by the model. Its arguments fit the tool's schema.
public struct ChappieToolCall: Sendable, Hashable, Identifiable {
  /// Names this call within its conversation.
  public let id: String
  /// The tool's name.
  public let name: String
  /// The arguments as the model wrote them: JSON text.
  public let arguments: String

  /// The arguments, read; nil when they are no JSON.
  public var argumentsJSON: ChappieJSONValue? {
    try? ChappieJSONValue(json: arguments)
  }

  public init(id: String, name: String, arguments: String) {
    self.id = id
    self.name = name
    self.arguments = arguments
  }
}

/// What a tool's handler returns. The model reads its output.
public struct ChappieToolResult: Sendable, Hashable {
  /// Plain text, or JSON text.
  public let output: String
  /// Whether the tool could not do what was asked. The output then says why.
  public let isFailure: Bool

  public init(output: String) {
    self.output = output
    isFailure = false
  }

  /// The output is the JSON text of `output`.
  public init(output: ChappieJSONValue) {
    self.init(output: output.json)
  }

  /// The tool could not do it; `failure` tells the model why.
  public init(failure: String) {
    output = failure
    isFailure = true
  }
}

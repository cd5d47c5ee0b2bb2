/// The content of one request of a turn, independent of the model.
struct TurnRequest: Sendable {
  let choice: ModelChoice
  var input: [ConversationItem]
  let instructions: String
  /// The tools that the model may call, in the backend's format.
  private(set) var tools: [ChappieJSONValue] = []
  let effort: ChappieReasoningEffort?
  /// The schema of an answer that is JSON; nil for any answer.
  let outputSchema: ChappieJSONValue?
  /// Groups requests with a common beginning for the backend's cache.
  let threadID: String

  /// The backend refuses a request without instructions, and some harnesses have none.
  private static let fallbackInstructions = "Answer the user."

  /// - Parameter choice: the model that answers, unless `options` names one.
  init(
    _ choice: ModelChoice, harness: ChappieHarness, input: [ConversationItem], options: ChappieMessageOptions,
    threadID: String
  ) {
    let parts = [harness.rendered, options.instructions ?? ""].filter { !$0.isEmpty }
    self.choice = ModelChoice(options.model) ?? choice
    self.input = input
    instructions = parts.isEmpty ? Self.fallbackInstructions : parts.joined(separator: "\n\n")
    effort = options.effort
    outputSchema = options.outputSchema
    self.threadID = threadID
  }

  /// Declares the tools that the model may call.
  mutating func declare(_ tools: [ChappieHarnessTool]) {
    self.tools = tools.map(Self.json)
  }

  private static func json(_ tool: ChappieHarnessTool) -> ChappieJSONValue {
    [
      "type": "function", "name": .string(tool.name), "description": .string(tool.description), "strict": false,
      "parameters": tool.inputSchema,
    ]
  }
}

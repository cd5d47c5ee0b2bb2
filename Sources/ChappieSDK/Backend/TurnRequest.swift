/// What one request of a turn asks, whichever model answers.
struct TurnRequest: Sendable {
  let choice: ModelChoice
  var input: [ConversationItem]
  let instructions: String
  /// What the model may call, as the backend takes it.
  private(set) var tools: [ChappieJSONValue] = []
  let effort: ChappieReasoningEffort?
  /// Groups requests that share a beginning, for the backend's cache.
  let threadID: String

  /// The backend refuses a request without instructions, also from a harness that has none.
  private static let fallbackInstructions = "Answer the user."

  /// - Parameter choice: which model answers, unless `options` name one.
  init(
    _ choice: ModelChoice, harness: ChappieHarness, input: [ConversationItem], options: ChappieMessageOptions,
    threadID: String
  ) {
    let parts = [harness.rendered, options.instructions ?? ""].filter { !$0.isEmpty }
    self.choice = ModelChoice(options.model) ?? choice
    self.input = input
    instructions = parts.isEmpty ? Self.fallbackInstructions : parts.joined(separator: "\n\n")
    effort = options.effort
    self.threadID = threadID
  }

  /// Tells the model what it may call.
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

/// What one request of a turn asks, whichever model answers.
struct TurnRequest: Sendable {
  let choice: ModelChoice
  var input: [ConversationItem]
  let instructions: String
  /// What the model may call, as the backend takes it.
  let tools: [ChappieJSONValue]
  let effort: ChappieReasoningEffort?
  /// Groups requests that share a beginning, for the backend's cache.
  let threadID: String

  /// The backend refuses a request without instructions, also from a harness that has none.
  private static let fallbackInstructions = "Answer the user."

  /// - Parameters:
  ///   - choice: which model answers, unless `options` name one.
  ///   - tools: what the model may call.
  init(
    _ choice: ModelChoice, harness: ChappieHarness, tools: [ChappieHarnessTool] = [], input: [ConversationItem],
    options: ChappieMessageOptions, threadID: String
  ) {
    let parts = [harness.rendered, options.instructions ?? ""].filter { !$0.isEmpty }
    self.choice = ModelChoice(options.model) ?? choice
    self.input = input
    instructions = parts.isEmpty ? Self.fallbackInstructions : parts.joined(separator: "\n\n")
    self.tools = tools.map(Self.json)
    effort = options.effort
    self.threadID = threadID
  }

  private static func json(_ tool: ChappieHarnessTool) -> ChappieJSONValue {
    [
      "type": "function", "name": .string(tool.name), "description": .string(tool.description), "strict": false,
      "parameters": tool.inputSchema,
    ]
  }
}

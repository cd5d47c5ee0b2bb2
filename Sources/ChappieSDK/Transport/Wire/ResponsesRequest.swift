import GLibBridge

/// A request for an answer, as the backend takes it.
struct ResponsesRequest: Sendable {
  var input: [ConversationItem]
  /// Everything but the input.
  let frame: [String: JSON]
  /// Groups requests that share a beginning, for the backend's cache.
  let threadID: String

  /// The backend refuses a request without instructions, also from a harness that has none.
  private static let fallbackInstructions = "Answer the user."

  /// - Parameter tools: what the model may call.
  init(
    model: String, harness: ChappieHarness, tools: [ChappieHarnessTool] = [], input: [ConversationItem],
    options: ChappieMessageOptions, threadID: String
  ) {
    let parts = [harness.rendered, options.instructions ?? ""].filter { !$0.isEmpty }
    let instructions = parts.isEmpty ? Self.fallbackInstructions : parts.joined(separator: "\n\n")
    var frame: [String: JSON] = [
      "model": .string(model), "instructions": .string(instructions), "stream": true, "store": false,
      "tool_choice": "auto", "parallel_tool_calls": true, "include": ["reasoning.encrypted_content"],
      "prompt_cache_key": .string(threadID),
    ]
    if !tools.isEmpty { frame["tools"] = .array(tools.map(Self.json)) }
    if let effort = options.effort { frame["reasoning"] = ["effort": .string(effort.rawValue)] }
    self.frame = frame
    self.input = input
    self.threadID = threadID
  }

  /// Whether encoding it takes so long that others would wait.
  var isLarge: Bool { input.contains { $0.footprint > 64 << 10 } || input.count > 256 }

  /// The body of an HTTP request.
  func encoded() -> [UInt8] {
    JSON.object(frame.merging(["input": .array(input.map(\.json))]) { $1 }).encoded
  }

  private static func json(_ tool: ChappieHarnessTool) -> JSON {
    [
      "type": "function", "name": .string(tool.name), "description": .string(tool.description), "strict": false,
      "parameters": JSON(tool.inputSchema),
    ]
  }
}

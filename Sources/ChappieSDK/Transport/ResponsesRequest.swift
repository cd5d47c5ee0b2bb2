import GLibBridge

/// The body of a request for an answer, as the backend takes it.
struct ResponsesRequest: Sendable {
  let model: String
  let harness: ChappieHarness
  let messages: [ChappieInputMessage]
  let options: ChappieMessageOptions
  /// Groups requests that share a beginning, for the backend's cache.
  let threadID: String

  /// The backend refuses a request without instructions, also from a harness that has none.
  private static let fallbackInstructions = "Answer the user."

  private var instructions: String {
    let parts = [harness.rendered, options.instructions ?? ""].filter { !$0.isEmpty }
    return parts.isEmpty ? Self.fallbackInstructions : parts.joined(separator: "\n\n")
  }

  func encoded() -> [UInt8] {
    var body: [String: JSON] = [
      "model": .string(model), "instructions": .string(instructions), "input": .array(messages.map(Self.item)),
      "stream": true, "store": false, "tool_choice": "auto", "parallel_tool_calls": true,
      "include": ["reasoning.encrypted_content"], "prompt_cache_key": .string(threadID),
    ]
    if let effort = options.effort { body["reasoning"] = ["effort": .string(effort.rawValue)] }
    return JSON.object(body).encoded
  }

  private static func item(_ message: ChappieInputMessage) -> JSON {
    // The backend knows no system messages.
    let role = message.role == .system ? ChappieInputMessage.Role.developer : message.role
    return [
      "type": "message", "role": .string(role.rawValue),
      "content": [["type": message.role == .assistant ? "output_text" : "input_text", "text": .string(message.text)]],
    ]
  }
}

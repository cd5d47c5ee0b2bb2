import FoundationEssentials

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

  func encoded() throws -> [UInt8] {
    let body = Body(
      model: model, instructions: instructions, input: messages.map(Body.Item.init),
      reasoning: options.effort.map { Body.Reasoning(effort: $0.rawValue) }, promptCacheKey: threadID)
    return Array(try JSONEncoder().encode(body))
  }

  private struct Body: Encodable {
    let model: String
    let instructions: String
    let input: [Item]
    let stream = true
    let store = false
    let toolChoice = "auto"
    let parallelToolCalls = true
    let reasoning: Reasoning?
    let include = ["reasoning.encrypted_content"]
    let promptCacheKey: String

    enum CodingKeys: String, CodingKey {
      case model, instructions, input, stream, store, reasoning, include
      case toolChoice = "tool_choice"
      case parallelToolCalls = "parallel_tool_calls"
      case promptCacheKey = "prompt_cache_key"
    }

    struct Reasoning: Encodable {
      let effort: String
    }

    struct Item: Encodable {
      let type = "message"
      let role: String
      let content: [Content]

      init(_ message: ChappieInputMessage) {
        // The backend knows no system messages.
        role = message.role == .system ? "developer" : message.role.rawValue
        content = [Content(type: message.role == .assistant ? "output_text" : "input_text", text: message.text)]
      }
    }

    struct Content: Encodable {
      let type: String
      let text: String
    }
  }
}

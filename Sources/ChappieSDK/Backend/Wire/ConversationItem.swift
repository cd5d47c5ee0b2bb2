/// One item of a conversation, as the backend takes it.
enum ConversationItem: Sendable, Equatable {
  case message(ChappieInputMessage)
  /// What the model made, as it came: a message, its thoughts (sealed), a tool call.
  case produced(ChappieJSONValue)
  case toolOutput(callID: String, output: String)
  /// What answers a call of a kind of tool that nobody here has.
  case customToolOutput(callID: String, output: String)

  /// The text of a message, whoever wrote it; nil for what is none.
  var asMessage: ChappieInputMessage? {
    switch self {
    case .message(let message): message
    case .produced(let item): item.messageText.map { .assistant($0) }
    case .toolOutput, .customToolOutput: nil
    }
  }

  /// How long it is for the model, in bytes: a guess. Images do not count.
  var byteCount: Int {
    switch self {
    case .message(let message): message.text.utf8.count
    case .produced(let item):
      [item.messageText, item["arguments"]?.stringValue, item["encrypted_content"]?.stringValue].reduce(0) {
        $0 + ($1?.utf8.count ?? 0)
      }
    case .toolOutput(_, let output), .customToolOutput(_, let output): output.utf8.count
    }
  }

  var json: ChappieJSONValue {
    switch self {
    case .message(let message): Self.json(message)
    case .produced(let item): item.asInput
    case .toolOutput(let callID, let output):
      ["type": "function_call_output", "call_id": .string(callID), "output": .string(output)]
    case .customToolOutput(let callID, let output):
      ["type": "custom_tool_call_output", "call_id": .string(callID), "output": .string(output)]
    }
  }

  private static func json(_ message: ChappieInputMessage) -> ChappieJSONValue {
    // The backend knows no system messages.
    let role = message.role == .system ? ChappieInputMessage.Role.developer : message.role
    let textType: ChappieJSONValue = message.role == .assistant ? "output_text" : "input_text"
    let text: ChappieJSONValue = ["type": textType, "text": .string(message.text)]
    let images = message.images.map { ChappieJSONValue.object(["type": "input_image", "image_url": .string($0.url)]) }
    return ["type": "message", "role": .string(role.rawValue), "content": .array([text] + images)]
  }
}

extension ChappieJSONValue {
  /// The text of an item that is a message; nil for any other.
  var messageText: String? {
    guard self["type"]?.stringValue == "message" else { return nil }
    return (self["content"]?.arrayValue ?? []).compactMap { $0.partText ?? $0.partRefusal }.joined()
  }

  /// Whether this is a message in which the model says that it does not answer.
  var isRefusal: Bool {
    self["type"]?.stringValue == "message" && (self["content"]?.arrayValue ?? []).contains { $0.partRefusal != nil }
  }

  private var partText: String? { self["type"]?.stringValue == "output_text" ? self["text"]?.stringValue : nil }
  private var partRefusal: String? { self["type"]?.stringValue == "refusal" ? self["refusal"]?.stringValue : nil }

  /// This item as it is sent back: without what names it on the backend, which keeps nothing that could be named, and
  /// with a refusal as the text that it is, which each backend takes.
  fileprivate var asInput: ChappieJSONValue {
    guard case .object(var members) = self else { return self }
    members["id"] = nil
    members["status"] = nil
    if isRefusal, let parts = members["content"]?.arrayValue {
      members["content"] = .array(
        parts.map { part in part.partRefusal.map { ["type": "output_text", "text": .string($0)] } ?? part })
    }
    return .object(members)
  }
}

extension ChappieJSONValue {
  /// About how many bytes of memory it takes.
  var footprint: Int {
    switch self {
    case .object(let members):
      members.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.footprint }
    case .array(let elements):
      elements.reduce(64) { $0 + $1.footprint }
    case .string(let text): 32 + text.utf8.count
    case .integer, .number, .bool, .null: 32
    }
  }
}

extension ConversationItem {
  /// About how many bytes of memory it takes.
  var footprint: Int {
    switch self {
    case .message(let message):
      message.images.reduce(256 + message.text.utf8.count) { $0 + 64 + $1.url.utf8.count }
    case .produced(let item): item.footprint
    case .toolOutput(let callID, let output), .customToolOutput(let callID, let output):
      128 + callID.utf8.count + output.utf8.count
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// One item of a conversation, in the backend's terms.
enum ConversationItem: Sendable, Equatable {
  case message(ChappieInputMessage)
  /// An item of the model's output, unchanged: a message, encrypted reasoning, a tool call.
  case produced(ChappieJSONValue)
  /// - Parameter isCustom: whether it answers a call of a custom tool, a kind that this client does not have.
  case toolOutput(callID: String, output: String, images: [ChappieImage] = [], isCustom: Bool = false)

  /// The item as a message with text; nil for other items.
  var asMessage: ChappieInputMessage? {
    switch self {
    case .message(let message): message
    case .produced(let item): item.messageText.map { .assistant($0) }
    case .toolOutput: nil
    }
  }

  /// The estimated length of the item for the model, in bytes. Images and files do not count.
  var byteCount: Int {
    switch self {
    case .message(let message): message.text.utf8.count
    case .produced(let item):
      [item.messageText, item["arguments"]?.stringValue, item["encrypted_content"]?.stringValue].reduce(0) {
        $0 + ($1?.utf8.count ?? 0)
      }
    case .toolOutput(_, let output, _, _): output.utf8.count
    }
  }

  /// The approximate memory of the value, in bytes.
  var footprint: Int {
    switch self {
    case .message(let message):
      (message.images.map(\.url) + message.files.map(\.url)).reduce(256 + message.text.utf8.count) {
        $0 + 64 + $1.utf8.count
      }
    case .produced(let item): item.footprint
    case .toolOutput(let callID, let output, let images, _):
      images.reduce(128 + callID.utf8.count + output.utf8.count) { $0 + 64 + $1.url.utf8.count }
    }
  }

  /// The documents of a message.
  var files: [ChappieInputFile] {
    if case .message(let message) = self { message.files } else { [] }
  }

  var isWebSearch: Bool {
    if case .produced(let item) = self { item.isWebSearch } else { false }
  }

  var json: ChappieJSONValue {
    switch self {
    case .message(let message): Self.json(message)
    case .produced(let item): item.asInput
    case .toolOutput(let callID, let output, let images, let isCustom):
      [
        "type": isCustom ? "custom_tool_call_output" : "function_call_output", "call_id": .string(callID),
        "output": images.isEmpty
          ? .string(output)
          : .array([["type": "input_text", "text": .string(output)]] + images.map(Self.json)),
      ]
    }
  }

  private static func json(_ image: ChappieImage) -> ChappieJSONValue {
    ["type": "input_image", "image_url": .string(image.url)]
  }

  private static func json(_ message: ChappieInputMessage) -> ChappieJSONValue {
    // The backend does not know system messages.
    let role = message.role == .system ? ChappieInputMessage.Role.developer : message.role
    let textType: ChappieJSONValue = message.role == .assistant ? "output_text" : "input_text"
    let text: ChappieJSONValue = ["type": textType, "text": .string(message.text)]
    let images = message.images.map(Self.json)
    let files = message.files.map {
      ChappieJSONValue.object([
        "type": "input_file", "filename": .string($0.name), "file_data": .string($0.url),
      ])
    }
    return ["type": "message", "role": .string(role.rawValue), "content": .array([text] + images + files)]
  }
}

extension ChappieJSONValue {
  /// The text of a message item; nil for other items.
  var messageText: String? {
    guard self["type"]?.stringValue == "message" else { return nil }
    return (self["content"]?.arrayValue ?? []).compactMap { $0.partText ?? $0.partRefusal }
      .map(CitationMarks.removed).joined()
  }

  /// Whether this is a message in which the model refuses to answer.
  var isRefusal: Bool {
    self["type"]?.stringValue == "message" && (self["content"]?.arrayValue ?? []).contains { $0.partRefusal != nil }
  }

  var partText: String? { self["type"]?.stringValue == "output_text" ? self["text"]?.stringValue : nil }
  var partRefusal: String? { self["type"]?.stringValue == "refusal" ? self["refusal"]?.stringValue : nil }

  /// This item as the next request sends it: without its id, because the backend stores no items, and with a refusal as
  /// plain text, because every backend accepts that.
  fileprivate var asInput: ChappieJSONValue {
    guard case .object(var members) = self else { return self }
    members["id"] = nil
    if isWebSearch {
      // The addresses that were looked at are no part of what the model reads.
      if case .object(var action)? = members["action"] {
        action["sources"] = nil
        members["action"] = .object(action)
      }
      return .object(members)
    }
    members["status"] = nil
    if isRefusal, let parts = members["content"]?.arrayValue {
      members["content"] = .array(
        parts.map { part in part.partRefusal.map { ["type": "output_text", "text": .string($0)] } ?? part })
    }
    return .object(members)
  }

  /// The approximate memory of the item, in bytes.
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

import ChappieSDK

/// An item of an answer.
struct OutputItem: Sendable {
  enum Content: Sendable {
    case message(String)
    case call(ToolCall)
    case reasoning(String)
    case compaction(String)
  }

  let id: String
  let content: Content
  /// The deltas of the item; empty for an item that is sent as a whole.
  let pieces: [Substring]

  init(_ content: Content) {
    self.content = content
    switch content {
    case .message(let text):
      id = "msg_" + RandomText.hex(bytes: 16)
      pieces = Self.words(of: text)
    case .call(let call):
      id = (call.isCustom ? "ctc_" : "fc_") + RandomText.hex(bytes: 16)
      pieces = Self.words(of: call.text)
    case .reasoning:
      id = "rs_" + RandomText.hex(bytes: 16)
      pieces = []
    case .compaction:
      id = "cmp_" + RandomText.hex(bytes: 16)
      pieces = []
    }
  }

  /// The item without content, as sent at its start.
  var started: ChappieJSONValue { json("in_progress", isWhole: false) }

  var finished: ChappieJSONValue { json("completed", isWhole: true) }

  private func json(_ status: String, isWhole: Bool) -> ChappieJSONValue {
    switch content {
    case .message(let text):
      [
        "id": .string(id), "type": "message", "status": .string(status), "role": "assistant",
        "content": isWhole ? [Self.part(text)] : [],
      ]
    case .call(let call):
      .object(
        [
          "id": .string(id), "type": call.isCustom ? "custom_tool_call" : "function_call", "status": .string(status),
          "call_id": .string(call.id), "name": .string(call.name),
          call.isCustom ? "input" : "arguments": .string(isWhole ? call.text : ""),
        ].merging(call.namespace.map { ["namespace": .string($0)] } ?? [:]) { $1 })
    case .reasoning(let sealed):
      ["id": .string(id), "type": "reasoning", "summary": [], "encrypted_content": .string(sealed)]
    case .compaction(let sealed):
      ["id": .string(id), "type": "compaction", "encrypted_content": .string(sealed)]
    }
  }

  static func part(_ text: String) -> ChappieJSONValue {
    ["type": "output_text", "text": .string(text), "annotations": []]
  }

  /// The deltas of a text: words, each with the white space before it.
  private static func words(of text: String) -> [Substring] {
    var words: [Substring] = []
    var start = text.startIndex
    var wasSpace = true
    for index in text.indices {
      let isSpace = text[index].isWhitespace
      if isSpace, !wasSpace {
        words.append(text[start..<index])
        start = index
      }
      wasSpace = isSpace
    }
    if start < text.endIndex { words.append(text[start...]) }
    return words
  }
}

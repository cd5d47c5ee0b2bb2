// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// An item of an answer.
struct OutputItem: Sendable {
  /// The text of an item that comes in deltas.
  struct Stream {
    /// The type of the events, without `.delta` and `.done`.
    let type: String
    /// The member of the item, and of the last event, that has the text.
    let key: String
    let text: String
    /// The citations in the text, in its order.
    var annotations: [ChappieJSONValue] = []

    /// The deltas: words, each with the white space before it. The marker of a citation comes in several.
    var pieces: [Substring] {
      var words: [Substring] = []
      var start = text.startIndex
      var wasSpace = true
      for index in text.indices {
        let isSpace = text[index].isWhitespace
        if isSpace && !wasSpace || Self.marks.contains(text[index]) {
          words.append(text[start..<index])
          start = index
        }
        wasSpace = isSpace
      }
      if start < text.endIndex { words.append(text[start...]) }
      return words
    }

    /// The characters that begin, divide and end the marker of a citation.
    private static let marks: Set<Character> = ["\u{E200}", "\u{E202}", "\u{E201}"]
  }

  let id: String
  /// The item without content, as sent at its start.
  let started: ChappieJSONValue
  let finished: ChappieJSONValue
  /// Nil for an item that is sent as a whole.
  let stream: Stream?
  /// The types of the events between the start and the end that have no members of their own.
  let stages: [String]

  /// - Parameters:
  ///   - kind: the prefix of the id.
  ///   - empty: the members that differ at the start, as they are then; null for one that is missing.
  private init(
    _ kind: String, _ stream: Stream?, _ members: [String: ChappieJSONValue], empty: [String: ChappieJSONValue] = [:],
    stages: [String] = []
  ) {
    id = kind + RandomText.hex(bytes: 16)
    let members = members.merging(["id": .string(id)]) { $1 }
    started = .object(members.merging(empty) { $1 }.filter { !$0.value.isNull })
    finished = .object(members)
    self.stream = stream
    self.stages = stages
  }

  static func message(_ text: String, _ annotations: [ChappieJSONValue] = []) -> OutputItem {
    OutputItem(
      "msg_", Stream(type: "response.output_text", key: "text", text: text, annotations: annotations),
      ["type": "message", "status": "completed", "role": "assistant", "content": [part(text, annotations)]],
      empty: ["status": "in_progress", "content": []])
  }

  /// The part of a message.
  static func part(_ text: String, _ annotations: [ChappieJSONValue] = []) -> ChappieJSONValue {
    ["type": "output_text", "text": .string(text), "annotations": .array(annotations)]
  }

  /// A search of the web, or a page that it opens.
  ///
  /// - Parameter action: nil for an item without one, as the live server sends at times.
  static func search(action: ChappieJSONValue?, status: ChappieJSONValue) -> OutputItem {
    var members: [String: ChappieJSONValue] = ["type": "web_search_call", "status": status]
    members["action"] = action
    let stages = ["in_progress", "searching"] + (status == "completed" ? ["completed"] : [])
    return OutputItem(
      "ws_", nil, members, empty: ["status": "in_progress", "action": .null],
      stages: stages.map { "response.web_search_call." + $0 })
  }

  static func call(_ call: ToolCall) -> OutputItem {
    let (kind, type, key) =
      call.isCustom ? ("ctc_", "custom_tool_call", "input") : ("fc_", "function_call", "arguments")
    var members: [String: ChappieJSONValue] = [
      "type": .string(type), "status": "completed", "call_id": .string(call.id), "name": .string(call.name),
      key: .string(call.text),
    ]
    members["namespace"] = call.namespace.map { .string($0) }
    return OutputItem(
      kind, Stream(type: "response.\(type)_\(key)", key: key, text: call.text), members,
      empty: ["status": "in_progress", key: ""])
  }

  /// Encrypted reasoning that stands for a number of messages.
  static func reasoning(_ messages: Int) -> OutputItem {
    let sealed = EncryptedContent.seal("reasoning", messages)
    return OutputItem("rs_", nil, ["type": "reasoning", "summary": [], "encrypted_content": .string(sealed)])
  }

  /// A compaction that replaces a number of messages.
  static func compaction(_ messages: Int) -> OutputItem {
    let sealed = EncryptedContent.seal("compaction", messages)
    return OutputItem("cmp_", nil, ["type": "compaction", "encrypted_content": .string(sealed)])
  }
}

/// A tool call in an answer.
struct ToolCall: Sendable {
  var id = "call_" + RandomText.hex(bytes: 12)
  let name: String
  /// The namespace of the tool; nil if the call has none.
  var namespace: String?
  /// Whether the tool is a custom one, whose input is text.
  var isCustom = false
  /// The input of a custom tool, or the arguments of a function: JSON text, unless a rule sets other text.
  let text: String

  /// The calls that a user's text asks for. Each line is `use NAME {json}` or `use NAME`.
  ///
  /// - Parameter tools: the names of the declared tools.
  /// - Returns: an empty list if a line is anything else, or names another tool.
  static func list(askedFor text: String, tools: Set<String>) -> [ToolCall] {
    var calls: [ToolCall] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(maxSplits: 2, whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count >= 2, words[0] == "use", tools.contains(String(words[1])) else { return [] }
      let arguments = words.count == 3 ? String(words[2]) : "{}"
      guard ChappieJSONValue(body: Array(arguments.utf8)).objectValue != nil else { return [] }
      calls.append(ToolCall(name: String(words[1]), text: arguments))
    }
    return calls
  }
}

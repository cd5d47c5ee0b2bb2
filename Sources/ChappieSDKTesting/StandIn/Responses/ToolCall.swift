import ChappieSDK
import FoundationEssentials

/// A tool call in an answer.
struct ToolCall: Sendable, Equatable {
  /// The input of the tool.
  enum Payload: Sendable, Equatable {
    /// The arguments of a function: JSON text, unless a rule sets other text.
    case arguments(String)
    /// The text for a custom tool.
    case input(String)
  }

  let id: String
  let name: String
  /// The namespace of the tool; nil if the call has none.
  let namespace: String?
  let payload: Payload

  init(id: String? = nil, name: String, namespace: String? = nil, _ payload: Payload) {
    self.id = id ?? "call_" + RandomText.hex(bytes: 12)
    self.name = name
    self.namespace = namespace
    self.payload = payload
  }

  var isCustom: Bool {
    if case .input = payload { true } else { false }
  }

  /// The text that is streamed in deltas.
  var text: String {
    switch payload {
    case .arguments(let text), .input(let text): text
    }
  }

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
      guard (try? ChappieJSONValue(parsing: arguments.utf8.span))?.objectValue != nil else { return [] }
      calls.append(ToolCall(name: String(words[1]), .arguments(arguments)))
    }
    return calls
  }
}

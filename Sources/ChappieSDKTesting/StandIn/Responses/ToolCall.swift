import ChappieSDK
import FoundationEssentials

/// A call of a tool in an answer.
struct ToolCall: Sendable, Equatable {
  /// What the tool is given.
  enum Payload: Sendable, Equatable {
    /// JSON text for a function, unless a rule wants something else.
    case arguments(String)
    /// Any text, for a custom tool.
    case input(String)
  }

  let id: String
  let name: String
  /// The group in which the tool was declared, where the call names one.
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

  /// What is streamed piece by piece.
  var text: String {
    switch payload {
    case .arguments(let text), .input(let text): text
    }
  }

  /// The calls that a user's text asks for: each line is `use NAME {json}`, or `use NAME` alone.
  ///
  /// - Parameter tools: what may be called; a text that names anything else asks for nothing.
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

import FoundationEssentials

/// A call of a tool in an answer.
struct ToolCall: Sendable, Equatable {
  let id: String
  let name: String
  /// JSON text, unless a rule wants something else.
  let arguments: String

  init(id: String? = nil, name: String, arguments: String) {
    self.id = id ?? "call_" + RandomText.hex(bytes: 12)
    self.name = name
    self.arguments = arguments
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
      guard (try? JSONValue(parsing: Array(arguments.utf8)))?.members != nil else { return [] }
      calls.append(ToolCall(name: String(words[1]), arguments: arguments))
    }
    return calls
  }
}

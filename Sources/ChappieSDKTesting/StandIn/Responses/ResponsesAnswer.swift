/// The events of one answer, in the order of the live server.
struct ResponsesAnswer {
  let text: String
  private let model: String
  private let createdAt: Int
  private let inputTokens: Int
  private let words: [Substring]
  private let responseID = "resp_" + RandomText.hex(bytes: 16)
  private let itemID = "msg_" + RandomText.hex(bytes: 16)

  init(text: String, model: String, inputBytes: Int, createdAt: Int) {
    self.text = text
    self.model = model
    self.createdAt = createdAt
    // The rule of thumb of four bytes a token.
    inputTokens = (inputBytes + 3) / 4
    words = Self.words(of: text)
  }

  /// A little answer to `request` that shows what the backend understood.
  static func echo(_ request: ResponsesRequest) -> String {
    let said = request.lastUserText
    let excerpt = said.prefix(400)
    let quote = excerpt.endIndex == said.endIndex ? excerpt : excerpt + "…"
    let count = request.conversationLength
    return "You said: “\(quote)” This conversation has \(count) \(count == 1 ? "message" : "messages")."
  }

  /// How many events there are.
  var count: Int { Self.opening.count + words.count + Self.closing.count }

  /// The event at a position, from 0 up to ``count``.
  func event(at index: Int) -> JSONValue {
    let word = index - Self.opening.count
    if word < 0 { return Self.opening[index](self, index) }
    if word < words.count { return delta(words[word], index) }
    return Self.closing[word - words.count](self, index)
  }

  // MARK: Events

  private typealias Event = @Sendable (Self, Int) -> JSONValue

  private static let opening: [Event] = [
    { $0.event("response.created", $1, [("response", $0.response("in_progress"))]) },
    { $0.event("response.in_progress", $1, [("response", $0.response("in_progress"))]) },
    { $0.event("response.output_item.added", $1, [("output_index", 0), ("item", $0.item("in_progress", []))]) },
    { $0.event("response.content_part.added", $1, $0.place + [("part", Self.part(""))]) },
  ]

  private static let closing: [Event] = [
    { $0.event("response.output_text.done", $1, $0.place + [("text", .string($0.text))]) },
    { $0.event("response.content_part.done", $1, $0.place + [("part", Self.part($0.text))]) },
    { $0.event("response.output_item.done", $1, [("output_index", 0), ("item", $0.finishedItem)]) },
    { $0.event("response.completed", $1, [("response", $0.response("completed", [$0.finishedItem], $0.usage))]) },
  ]

  private func delta(_ word: Substring, _ number: Int) -> JSONValue {
    event("response.output_text.delta", number, place + [("delta", .string(String(word)))])
  }

  private func event(_ type: String, _ number: Int, _ members: [(String, JSONValue)]) -> JSONValue {
    let head: [(String, JSONValue)] = [("type", .string(type)), ("sequence_number", JSONValue(number))]
    return .object((head + members).map(JSONValue.Member.init))
  }

  private var place: [(String, JSONValue)] {
    [("item_id", .string(itemID)), ("output_index", 0), ("content_index", 0)]
  }

  private func response(_ status: String, _ output: [JSONValue] = [], _ usage: JSONValue = nil) -> JSONValue {
    [
      "id": .string(responseID), "object": "response", "created_at": JSONValue(createdAt), "status": .string(status),
      "model": .string(model), "output": .array(output), "usage": usage, "error": nil,
    ]
  }

  private func item(_ status: String, _ content: [JSONValue]) -> JSONValue {
    [
      "id": .string(itemID), "type": "message", "status": .string(status), "role": "assistant",
      "content": .array(content),
    ]
  }

  private var finishedItem: JSONValue { item("completed", [Self.part(text)]) }

  private static func part(_ text: String) -> JSONValue {
    ["type": "output_text", "text": .string(text), "annotations": []]
  }

  private var usage: JSONValue {
    [
      "input_tokens": JSONValue(inputTokens), "input_tokens_details": ["cached_tokens": 0],
      "output_tokens": JSONValue(words.count), "output_tokens_details": ["reasoning_tokens": 0],
      "total_tokens": JSONValue(inputTokens + words.count),
    ]
  }

  /// The pieces in which a text is streamed: words, each with the white space before it.
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

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials

/// The events of one answer, in the order of the live server.
struct ResponsesAnswer: Sendable {
  private enum Event {
    case whole(ChappieJSONValue)
    /// Made right before it is sent, because a long answer has one for each word.
    case delta(Substring, type: String, number: Int, place: [String: ChappieJSONValue])
  }

  /// The output that a following request can continue; nil if the answer does not succeed.
  let completion: (id: String, output: [ChappieJSONValue])?
  private var events: [Event] = []

  /// An answer with the events of a rule.
  private init(script: [ChappieJSONValue]) {
    events = script.map { .whole($0) }
    let id = script.last { $0["type"] == "response.completed" }?["response"]?["id"]?.stringValue
    let output = script.filter { $0["type"] == "response.output_item.done" }.compactMap { $0["item"] }
    completion = id.map { ($0, output) }
  }

  /// - Parameter error: the reason why the model fails; `null` if it does not.
  private init(_ items: [OutputItem], to request: ResponsesRequest, error: ChappieJSONValue = .null) {
    let id = "resp_" + RandomText.hex(bytes: 16)
    let output = items.map(\.finished)
    completion = error.isNull ? (id, output) : nil
    let response: [String: ChappieJSONValue] = [
      "id": .string(id), "object": "response", "created_at": ChappieJSONValue(Int(Date().timeIntervalSince1970)),
      "status": "in_progress", "model": .string(request.model.slug), "output": [], "usage": .null, "error": .null,
    ]
    add("response.created", ["response": .object(response)])
    add("response.in_progress", ["response": .object(response)])
    var outputTokens = 0
    for (index, item) in items.enumerated() {
      let place = ["output_index": ChappieJSONValue(index)]
      add("response.output_item.added", place.merging(["item": item.started]) { $1 })
      if let stream = item.stream { outputTokens += add(stream, place.merging(["item_id": .string(item.id)]) { $1 }) }
      add("response.output_item.done", place.merging(["item": item.finished]) { $1 })
    }
    let end: [String: ChappieJSONValue] =
      error.isNull
      ? [
        "status": "completed", "output": .array(output),
        "usage": [
          "input_tokens": ChappieJSONValue(request.inputTokens), "input_tokens_details": ["cached_tokens": 0],
          "output_tokens": ChappieJSONValue(outputTokens), "output_tokens_details": ["reasoning_tokens": 0],
          "total_tokens": ChappieJSONValue(request.inputTokens + outputTokens),
        ],
      ] : ["status": "failed", "error": error]
    add(error.isNull ? "response.completed" : "response.failed", ["response": .object(response.merging(end) { $1 })])
  }

  private mutating func add(_ type: String, _ members: [String: ChappieJSONValue]) {
    events.append(.whole(Self.event(type, events.count, members)))
  }

  /// Adds the events between the start and the end of an item, and returns the number of deltas.
  private mutating func add(_ stream: OutputItem.Stream, _ place: [String: ChappieJSONValue]) -> Int {
    let isMessage = stream.key == "text"
    let place = isMessage ? place.merging(["content_index": 0]) { $1 } : place
    if isMessage { add("response.content_part.added", place.merging(["part": OutputItem.part("")]) { $1 }) }
    let pieces = stream.pieces
    for piece in pieces {
      events.append(.delta(piece, type: stream.type + ".delta", number: events.count, place: place))
    }
    add(stream.type + ".done", place.merging([stream.key: .string(stream.text)]) { $1 })
    if isMessage { add("response.content_part.done", place.merging(["part": OutputItem.part(stream.text)]) { $1 }) }
    return pieces.count
  }

  private static func event(
    _ type: String, _ number: Int, _ members: [String: ChappieJSONValue]
  ) -> ChappieJSONValue {
    .object(members.merging(["type": .string(type), "sequence_number": ChappieJSONValue(number)]) { $1 })
  }

  // MARK: Events

  /// The number of events.
  var count: Int { events.count }

  /// The event at a position, from 0 up to ``count``.
  func event(at index: Int) -> ChappieJSONValue {
    switch events[index] {
    case .whole(let event): event
    case .delta(let piece, let type, let number, let place):
      Self.event(type, number, place.merging(["delta": .string(String(piece))]) { $1 })
    }
  }

  /// The answer with other events right after the first one.
  func with(side: [ChappieJSONValue]) -> ResponsesAnswer {
    var answer = self
    answer.events.insert(contentsOf: side.map { .whole($0) }, at: 1)
    return answer
  }

  /// The answer without the output in the event that ends it.
  var withoutOutput: ResponsesAnswer {
    var answer = self
    answer.events = events.map { event in
      guard case .whole(let json) = event, json["type"] == "response.completed", var members = json.objectValue,
        let response = members["response"]?.objectValue
      else { return event }
      members["response"] = .object(response.merging(["output": []]) { $1 })
      return .whole(.object(members))
    }
    return answer
  }
}

extension ResponsesAnswer {
  /// Makes the answer to `request`: the content of the rule, or else a content that follows from the conversation, such
  /// as a quotation of the user's message.
  init(to request: ResponsesRequest, _ change: StandInRule.Change?) {
    let conversation = request.conversation
    let exchanged = conversation.messageCount + conversation.compactedCount
    if let events = change?.events {
      self.init(script: events)
    } else if !request.fitsContextWindow {
      let message = "Your input exceeds the context window of this model. Please adjust your input and try again."
      self.init([], to: request, error: ["code": "context_length_exceeded", "message": .string(message)])
    } else if conversation.asksForCompaction {
      self.init([.compaction(exchanged)], to: request)
    } else {
      self.init(
        (request.options.wantsReasoning ? [.reasoning(exchanged)] : []) + Self.items(request, change), to: request)
    }
  }

  /// Makes the empty answer to a prewarm request.
  init(toPrewarm request: ResponsesRequest) {
    self.init([], to: request)
  }

  private static func items(_ request: ResponsesRequest, _ change: StandInRule.Change?) -> [OutputItem] {
    if let text = change?.text { return [.message(text)] + (change?.toolCalls ?? []).map(OutputItem.call) }
    if let scripted = change?.toolCalls { return scripted.map(OutputItem.call) }
    let conversation = request.conversation
    let outputs = conversation.lastOutputs
    guard outputs.isEmpty else {
      let lines = outputs.map { "The tool \($0.name) said: \($0.text)" }
      return [.message(lines.joined(separator: "\n"))]
    }
    if conversation.endsWithUser {
      let asked = ToolCall.list(askedFor: conversation.lastUserMessage.text, tools: request.tools)
      if !asked.isEmpty { return asked.prefix(request.options.callsInParallel ? asked.count : 1).map(OutputItem.call) }
    }
    let text =
      request.options.outputSchema.map { sample(of: $0, in: $0, echo(conversation)).json } ?? echo(conversation)
    return [.message(text)]
  }

  private static func echo(_ conversation: RecordedConversation) -> String {
    let said = conversation.lastUserMessage
    let excerpt = said.text.prefix(400)
    let quote = excerpt.endIndex == said.text.endIndex ? excerpt : excerpt + "…"
    var text = "You said: “\(quote)”"
    if said.images > 0 { text += " It came with \(number(said.images, "image"))." }
    text += " This conversation has \(number(conversation.messageCount, "message"))."
    if conversation.compactedCount > 0 {
      text += " A summary stands for \(number(conversation.compactedCount, "earlier message"))."
    }
    return text
  }

  /// A value that fits a simple schema. Each text in it that may be any text is `text`.
  ///
  /// - Parameters:
  ///   - root: the schema that has the definitions.
  ///   - depth: the number of schemas around this one.
  private static func sample(
    of schema: ChappieJSONValue, in root: ChappieJSONValue, _ text: String, depth: Int = 0
  ) -> ChappieJSONValue {
    guard depth < 16 else { return .null }
    func part(_ part: ChappieJSONValue) -> ChappieJSONValue { sample(of: part, in: root, text, depth: depth + 1) }
    if let choice = schema["const"] ?? schema["enum"]?[0] { return choice }
    if let name = schema["$ref"]?.stringValue?.split(separator: "/").last,
      let definition = root["$defs"]?[String(name)] ?? root["definitions"]?[String(name)]
    {
      return part(definition)
    }
    if let first = schema["anyOf"]?[0] { return part(first) }
    switch schema["type"]?.stringValue ?? schema["type"]?[0]?.stringValue {
    case "object": return .object((schema["properties"]?.objectValue ?? [:]).mapValues(part))
    case "array": return .array(schema["items"].map { [part($0)] } ?? [])
    case "integer", "number": return .integer(schema["minimum"]?.integerValue ?? 0)
    case "boolean": return false
    case "null": return .null
    default: return .string(text)
    }
  }

  private static func number(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// The events of one answer, in the order of the live server.
struct ResponsesAnswer: Sendable {
  /// The output that a following request can continue; nil if the answer does not succeed.
  let completion: (id: String, output: [ChappieJSONValue])?
  /// Each is made right before it is sent, because a long answer has one for each word.
  private(set) var events: [@Sendable () -> ChappieJSONValue] = []

  /// An answer with the events of a rule.
  private init(script: [ChappieJSONValue]) {
    events = script.map(Self.whole)
    let id = script.last { $0["type"] == "response.completed" }?["response"]?["id"]?.stringValue
    let output = script.filter { $0["type"] == "response.output_item.done" }.compactMap { $0["item"] }
    completion = id.map { ($0, output) }
  }

  /// - Parameters:
  ///   - error: the reason why the model fails.
  ///   - repeatsOutput: whether the event that ends the answer has the output again.
  init(
    _ items: [OutputItem], to request: ResponsesRequest, error: ChappieJSONValue? = nil, repeatsOutput: Bool = true
  ) {
    let id = "resp_" + RandomText.hex(bytes: 16)
    let output = items.map(\.finished)
    completion = error == nil ? (id, output) : nil
    let response: [String: ChappieJSONValue] = [
      "id": .string(id), "object": "response", "created_at": ChappieJSONValue(UsageMeter.now),
      "status": "in_progress", "model": .string(request.model.slug), "output": [], "usage": .null, "error": .null,
    ]
    add("response.created", ["response": .object(response)])
    add("response.in_progress", ["response": .object(response)])
    for (index, item) in items.enumerated() {
      let place = ["output_index": ChappieJSONValue(index)]
      add("response.output_item.added", place.merging(["item": item.started]) { $1 })
      let inside = place.merging(["item_id": .string(item.id)]) { $1 }
      for stage in item.stages { add(stage, inside) }
      if let stream = item.stream { add(stream, inside) }
      add("response.output_item.done", place.merging(["item": item.finished]) { $1 })
    }
    let outputTokens = items.reduce(0) { $0 + ($1.stream?.pieces.count ?? 0) }
    let usage: ChappieJSONValue = [
      "input_tokens": ChappieJSONValue(request.inputTokens), "input_tokens_details": ["cached_tokens": 0],
      "output_tokens": ChappieJSONValue(outputTokens), "output_tokens_details": ["reasoning_tokens": 0],
      "total_tokens": ChappieJSONValue(request.inputTokens + outputTokens),
    ]
    let end: [String: ChappieJSONValue] =
      error.map { ["status": "failed", "error": $0] }
      ?? ["status": "completed", "output": .array(repeatsOutput ? output : []), "usage": usage]
    add(
      error == nil ? "response.completed" : "response.failed", ["response": .object(response.merging(end) { $1 })])
  }

  private mutating func add(
    _ type: String, _ members: @autoclosure @escaping @Sendable () -> [String: ChappieJSONValue]
  ) {
    let number = ChappieJSONValue(events.count)
    events.append { .object(members().merging(["type": .string(type), "sequence_number": number]) { $1 }) }
  }

  /// Adds the events between the start and the end of an item.
  private mutating func add(_ stream: OutputItem.Stream, _ place: [String: ChappieJSONValue]) {
    let isMessage = stream.key == "text"
    let place = isMessage ? place.merging(["content_index": 0]) { $1 } : place
    if isMessage { add("response.content_part.added", place.merging(["part": OutputItem.part("")]) { $1 }) }
    var length = 0
    var waiting = stream.annotations.enumerated().map { (index: $0, annotation: $1) }
    func addAnnotations(upTo length: Int) {
      while let (index, annotation) = waiting.first, annotation["end_index"]?.wholeNumber ?? 0 <= length {
        let members = ["annotation_index": ChappieJSONValue(index), "annotation": annotation]
        add(stream.type + ".annotation.added", place.merging(members) { $1 })
        waiting.removeFirst()
      }
    }
    for piece in stream.pieces {
      add(stream.type + ".delta", place.merging(["delta": .string(String(piece))]) { $1 })
      length += piece.unicodeScalars.count
      addAnnotations(upTo: length)
    }
    addAnnotations(upTo: .max)
    add(stream.type + ".done", place.merging([stream.key: .string(stream.text)]) { $1 })
    if isMessage {
      let part = OutputItem.part(stream.text, stream.annotations)
      add("response.content_part.done", place.merging(["part": part]) { $1 })
    }
  }

  private static func whole(_ event: ChappieJSONValue) -> @Sendable () -> ChappieJSONValue { { event } }

  /// Inserts other events right after the first one.
  mutating func insert(_ side: [ChappieJSONValue]) {
    events.insert(contentsOf: side.map(Self.whole), at: 1)
  }
}

extension ResponsesAnswer {
  /// Makes the answer to `request`: the content of the rule, or else a content that follows from the conversation, such
  /// as a quotation of the user's message.
  init(to request: ResponsesRequest, _ rule: StandInRule, repeatsOutput: Bool = true) {
    let conversation = request.conversation
    let exchanged = conversation.messageCount + conversation.compactedCount
    if let events = rule.events {
      self.init(script: events)
    } else if !request.fitsContextWindow {
      let message = "Your input exceeds the context window of this model. Please adjust your input and try again."
      self.init([], to: request, error: ["code": "context_length_exceeded", "message": .string(message)])
    } else if conversation.asksForCompaction {
      self.init([.compaction(exchanged)], to: request, repeatsOutput: repeatsOutput)
    } else {
      let reasoning = request.wantsReasoning ? [OutputItem.reasoning(exchanged)] : []
      self.init(reasoning + Self.items(request, rule), to: request, repeatsOutput: repeatsOutput)
    }
  }

  private static func items(_ request: ResponsesRequest, _ rule: StandInRule) -> [OutputItem] {
    let calls = rule.toolCalls.map { $0.map(OutputItem.call) }
    if let text = rule.text { return [.message(text)] + (calls ?? []) }
    if let calls { return calls }
    let conversation = request.conversation
    let outputs = conversation.lastOutputs.map { "The tool \($0.name) said: \($0.text)" }
    guard outputs.isEmpty else { return [.message(outputs.joined(separator: "\n"))] }
    var search: WebSearch?
    if conversation.endsWithUser {
      let text = conversation.lastUserMessage.text
      let asked = ToolCall.list(askedFor: text, tools: request.tools)
      if !asked.isEmpty { return asked.prefix(request.callsInParallel ? asked.count : 1).map(OutputItem.call) }
      search = request.searchTool.flatMap { WebSearch(askedFor: text, with: $0, rule.search) }
    }
    let text = echo(conversation)
    let json = request.outputSchema.map { OutputItem.message(sample(of: $0, in: $0, text).json) }
    return (search?.calls ?? []) + [json ?? search?.message ?? .message(text)]
  }

  private static func echo(_ conversation: RecordedConversation) -> String {
    let said = conversation.lastUserMessage
    let excerpt = said.text.prefix(400)
    let quote = excerpt.endIndex == said.text.endIndex ? excerpt : excerpt + "…"
    var text = "You said: “\(quote)”"
    if said.images > 0 { text += " It came with \(number(said.images, "image"))." }
    if !said.files.isEmpty { text += " It came with \(said.files.joined(separator: " and "))." }
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
    // Schemas that contain themselves must end.
    let isDeep = depth > 6
    func part(_ part: ChappieJSONValue) -> ChappieJSONValue { sample(of: part, in: root, text, depth: depth + 1) }
    if let choice = schema["const"] ?? schema["enum"]?[0] { return choice }
    if schema["$ref"] == "#" { return part(root) }
    if let name = schema["$ref"]?.stringValue?.split(separator: "/").last,
      let definition = root["$defs"]?[String(name)] ?? root["definitions"]?[String(name)]
    {
      return part(definition)
    }
    if let choices = schema["anyOf"]?.arrayValue, let first = choices.first {
      return isDeep && choices.contains(["type": "null"]) ? .null : part(first)
    }
    switch schema["type"]?.stringValue ?? schema["type"]?[0]?.stringValue {
    case "object": return .object((schema["properties"]?.objectValue ?? [:]).mapValues(part))
    case "array":
      let count = (schema["minItems"] ?? .null).number(in: 0...4) ?? (isDeep ? 0 : 1)
      return .array(schema["items"].map { Array(repeating: part($0), count: count) } ?? [])
    case "integer", "number": return .integer(schema["minimum"]?.integerValue ?? 0)
    case "boolean": return false
    case "null": return .null
    case _ where schema["format"] == "date-time": return "2026-01-31T12:00:00Z"
    case _ where schema["format"] == "uuid": return "6f1c2b1e-0d55-4c3a-9f0e-3d2f1a7b8c9d"
    default: return .string(text)
    }
  }

  private static func number(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

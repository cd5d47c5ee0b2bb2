import ChappieSDK

extension ResponsesAnswer {
  /// Makes the answer to `request`: the content of the rule, or else a content that follows from the conversation, such
  /// as a quotation of the user's message.
  init(to request: ResponsesRequest, _ change: StandInRule.Change?) {
    self.init(Self.content(request, change), model: request.model.slug, inputTokens: request.inputTokens)
  }

  /// Makes the empty answer to a prewarm request.
  init(toPrewarm request: ResponsesRequest) {
    self.init(.items([]), model: request.model.slug, inputTokens: request.inputTokens)
  }

  private static func content(_ request: ResponsesRequest, _ change: StandInRule.Change?) -> Content {
    guard request.fitsContextWindow else {
      return .failure(
        code: "context_length_exceeded",
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.")
    }
    let conversation = request.conversation
    let exchanged = conversation.messageCount + conversation.compactedCount
    if conversation.asksForCompaction {
      return .items([OutputItem(.compaction(EncryptedContent.seal(.compaction, exchanged)))])
    }
    let reasoning = OutputItem(.reasoning(EncryptedContent.seal(.reasoning, exchanged)))
    return .items((request.wantsReasoning ? [reasoning] : []) + items(request, change))
  }

  private static func items(_ request: ResponsesRequest, _ change: StandInRule.Change?) -> [OutputItem] {
    if let text = change?.text { return [OutputItem(.message(text))] + calls(change?.toolCalls ?? []) }
    if let scripted = change?.toolCalls { return calls(scripted) }
    let conversation = request.conversation
    let outputs = conversation.lastOutputs
    guard outputs.isEmpty else {
      let lines = outputs.map { "The tool \($0.name) said: \($0.text)" }
      return [OutputItem(.message(lines.joined(separator: "\n")))]
    }
    if conversation.endsWithUser {
      let asked = ToolCall.list(askedFor: conversation.lastUserMessage.text, tools: request.tools)
      if !asked.isEmpty { return calls(request.callsInParallel ? asked : Array(asked.prefix(1))) }
    }
    let text = request.outputSchema.map { sample(of: $0, in: $0, echo(conversation)).json } ?? echo(conversation)
    return [OutputItem(.message(text))]
  }

  private static func calls(_ calls: [ToolCall]) -> [OutputItem] {
    calls.map { OutputItem(.call($0)) }
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

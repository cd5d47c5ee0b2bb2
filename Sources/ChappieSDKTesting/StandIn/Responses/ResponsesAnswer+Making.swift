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
    return [OutputItem(.message(echo(conversation)))]
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

  private static func number(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

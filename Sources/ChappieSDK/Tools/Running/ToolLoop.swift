import GLibBridge

/// A turn's whole answer, over all its rounds.
struct TurnResult {
  let text: String
  /// What the model made and what its tools said, in order.
  let items: [ConversationItem]
  /// As it may be shown; empty where it may not.
  let responseID: String
  let usage: ChappieTokenUsage
}

/// Asks, runs the tools that the model calls, and asks again with what they said, until the model is done.
@GLibActor
struct ToolLoop {
  /// How many rounds of calls one turn may take.
  static let roundLimit = 16

  let engine: TurnEngine
  let scope: TurnScope
  let tools: ToolRunner

  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func run(_ first: ResponsesRequest) async throws -> TurnResult {
    var request = first
    var usage = ChappieTokenUsage()
    for round in 0...Self.roundLimit {
      scope.startRound()
      try scope.size.ask(request)
      let answer = try await engine.answer(request, in: scope)
      let text = scope.endRound(answer.text)
      usage = usage + answer.usage
      scope.record(.items(answer.items))
      request.input += answer.items.map { .produced($0) }
      let calls = answer.calls
      guard calls.allSatisfy(\.hasPlainID) else {
        throw ChappieClientError.httpError(200, "The backend called a tool with an id that cannot be used.")
      }
      guard !calls.isEmpty else {
        return TurnResult(
          text: text, items: Array(request.input.dropFirst(first.input.count)), responseID: answer.shownID,
          usage: usage)
      }
      guard round < Self.roundLimit else { break }
      request.input += try await tools.run(calls)
    }
    throw ChappieClientError.toolLoopLimitExceeded(Self.roundLimit)
  }
}

extension ChappieTokenUsage {
  fileprivate static func + (left: ChappieTokenUsage, right: ChappieTokenUsage) -> ChappieTokenUsage {
    ChappieTokenUsage(
      inputTokens: left.inputTokens + right.inputTokens,
      cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
      outputTokens: left.outputTokens + right.outputTokens,
      reasoningTokens: left.reasoningTokens + right.reasoningTokens)
  }
}

import GLibBridge

/// A turn's whole answer, over all its rounds.
struct TurnResult {
  let text: String
  /// The slug of the model that was asked.
  let model: String
  /// Whether the model says in it that it does not answer.
  let isRefusal: Bool
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
  func run(_ first: TurnRequest) async throws -> TurnResult {
    var request = first
    var usage = ChappieTokenUsage()
    for round in 0...Self.roundLimit {
      scope.startRound()
      try scope.size.ask(request)
      let answer = try await engine.answer(request, in: scope)
      let text = scope.endRound(answer.text)
      usage = usage + answer.usage
      scope.record(.items(answer.items))
      let (calls, foreign) = (answer.calls, answer.foreignCalls)
      request.input += foreign.kept.map { .produced($0) }
      guard calls.allSatisfy(\.hasPlainID), foreign.havePlainIDs else {
        throw ChappieClientError.httpError(200, "The backend called a tool with an id that cannot be used.")
      }
      guard !calls.isEmpty || !foreign.outputs.isEmpty else {
        // Nothing was said but what cannot be done.
        if answer.text.isEmpty, let kind = foreign.omittedKind { throw ChappieClientError.missingToolHandler(kind) }
        return TurnResult(
          text: text, model: answer.model, isRefusal: answer.isRefusal,
          items: Array(request.input.dropFirst(first.input.count)), responseID: answer.shownID,
          usage: usage)
      }
      guard round < Self.roundLimit else { break }
      request.input += try await tools.run(calls) + foreign.outputs
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

import GLibBridge

/// A client's transcript and the turns that grow it.
@GLibActor
final class Conversation {
  private let configuration: ChappieConfiguration
  private let turnstile = Turnstile()
  private let threadID = UniqueID.make()
  private var items: [ConversationItem] = []
  private lazy var engine = TurnEngine(
    slot: SlotRegistry.slot(for: configuration), backoff: configuration.rateLimitBackoff,
    policy: configuration.streamingTransportPolicy)

  nonisolated init(configuration: ChappieConfiguration) {
    self.configuration = configuration
  }

  /// Runs a turn. A turn of the transcript waits for those before it; one that fails leaves no trace in it.
  func run(_ turn: ChappieClient.Turn, for caller: ChappieClient.TurnCaller) async throws -> ChappieResponse {
    switch turn {
    case .alone(let request):
      let input = request.messages.map { ConversationItem.message($0) }
      return try await ask(input, request.options, threadID: UniqueID.make(), isContinued: false, caller).response
    case .next(let message):
      return try await turnstile.pass {
        try await record(items + [.message(message)], message.options, caller)
      }
    case .replay(let request):
      return try await turnstile.pass {
        try await record(request.messages.map { .message($0) }, request.options, caller)
      }
    }
  }

  private func record(
    _ input: [ConversationItem], _ options: ChappieMessageOptions, _ caller: ChappieClient.TurnCaller
  ) async throws -> ChappieResponse {
    let result = try await ask(input, options, threadID: threadID, isContinued: true, caller)
    items = result.items
    return result.response
  }

  private func ask(
    _ input: [ConversationItem], _ options: ChappieMessageOptions, threadID: String, isContinued: Bool,
    _ caller: ChappieClient.TurnCaller
  ) async throws -> (response: ChappieResponse, items: [ConversationItem]) {
    let texts = input.compactMap(\.asMessage?.text)
    guard texts.contains(where: { !$0.isEmpty }), texts.last?.isEmpty == false else {
      throw ChappieClientError.invalidArgument("There is no text to answer: give some.")
    }
    let request = ResponsesRequest(
      model: options.model ?? configuration.model, harness: configuration.harness, input: input,
      options: options, threadID: threadID)
    let answer = try await engine.turn(for: caller, isContinued: isContinued) { scope in
      try await engine.answer(request, in: scope)
    }
    let response = ChappieResponse(
      outputText: answer.text, responseID: answer.responseID, model: request.model, usage: answer.usage)
    return (response, input + answer.items.map { .produced($0) })
  }
}

/// Lets one pass at a time, in the order of arrival.
@GLibActor
final class Turnstile {
  private var tail: Task<Void, Never>?

  func pass<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    let before = tail
    let done = Wait()
    tail = Task.onGLib {
      await before?.value
      await done.value()
    }
    defer { done.finish() }
    await before?.value
    try Task.checkCancellation()
    return try await body()
  }
}

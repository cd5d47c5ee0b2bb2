import GLibBridge

/// A client's transcript and the turns that grow it.
@GLibActor
final class Conversation {
  private let configuration: ChappieConfiguration
  private let turnstile = Turnstile()
  private let threadID = UniqueID.make()
  private var messages: [ChappieInputMessage] = []
  private lazy var engine = TurnEngine(
    slot: SlotRegistry.slot(for: configuration), backoff: configuration.rateLimitBackoff)

  nonisolated init(configuration: ChappieConfiguration) {
    self.configuration = configuration
  }

  /// Runs a turn. A turn of the transcript waits for those before it; one that fails leaves no trace in it.
  func run(_ turn: ChappieClient.Turn, for caller: ChappieClient.TurnCaller) async throws -> ChappieResponse {
    switch turn {
    case .alone(let request):
      return try await ask(request.messages, request.options, threadID: UniqueID.make(), caller)
    case .next(let message):
      return try await turnstile.pass {
        try await record(messages + [message], message.options, caller)
      }
    case .replay(let request):
      return try await turnstile.pass {
        try await record(request.messages, request.options, caller)
      }
    }
  }

  private func record(
    _ input: [ChappieInputMessage], _ options: ChappieMessageOptions, _ caller: ChappieClient.TurnCaller
  ) async throws -> ChappieResponse {
    let response = try await ask(input, options, threadID: threadID, caller)
    messages = input + [.assistant(response.outputText)]
    return response
  }

  private func ask(
    _ input: [ChappieInputMessage], _ options: ChappieMessageOptions, threadID: String,
    _ caller: ChappieClient.TurnCaller
  ) async throws -> ChappieResponse {
    guard input.contains(where: { !$0.text.isEmpty }), input.last?.text.isEmpty == false else {
      throw ChappieClientError.invalidArgument("There is no text to answer: give some.")
    }
    let request = ResponsesRequest(
      model: options.model ?? configuration.model, harness: configuration.harness, messages: input,
      options: options, threadID: threadID)
    return try await engine.run(request, for: caller)
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

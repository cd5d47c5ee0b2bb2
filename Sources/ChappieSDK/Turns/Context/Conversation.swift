import GLibBridge

/// A client's transcript and the turns that grow it.
@GLibActor
final class Conversation {
  private let configuration: ChappieConfiguration
  private let turnstile = Turnstile()
  private(set) lazy var slot = SlotRegistry.slot(for: configuration)
  private lazy var engine = TurnEngine(
    slot: slot, backoff: configuration.rateLimitBackoff,
    policy: configuration.streamingTransportPolicy)
  private(set) var transcript: Transcript
  var harness: ChappieHarness

  nonisolated init(configuration: ChappieConfiguration) {
    self.configuration = configuration
    harness = configuration.harness
    transcript = Transcript(configuration.modelChoice)
  }

  /// The slug of the model that answers, and how it is known.
  var model: (slug: String, source: ModelSource) {
    switch transcript.choice {
    case .standard: slot.modelCache.standard
    case .chosen(let slug): (slug, .chosen)
    }
  }

  var context: ChappieClientContext { transcript.context(asking: model.slug) }

  // MARK: Turns

  /// Runs a turn. A turn of the transcript waits for those before it; one that fails leaves no trace in it.
  func run(_ turn: ChappieClient.Turn, for caller: ChappieClient.TurnCaller) async throws -> ChappieResponse {
    switch turn {
    case .alone(let request):
      let input = try Self.items(request.messages)
      let ask = Ask(input: input, options: request.options, threadID: UniqueID.make(), isContinued: false)
      return try await answer(ask, caller).response
    case .next(let message):
      return try await turnstile.pass {
        let new = try Self.items([message])
        try await compactIfFull(with: new, ModelChoice(message.options.model) ?? transcript.choice, caller)
        let result = try await answer(continuing(transcript.input + new, message.options), caller)
        transcript.append(new + result.items)
        return result.response
      }
    case .replay(let request):
      return try await turnstile.pass {
        let input = try Self.items(request.messages)
        let result = try await answer(continuing(input, request.options), caller)
        transcript.replace(with: input + result.items)
        return result.response
      }
    }
  }

  /// What is asked in one turn.
  private struct Ask {
    let input: [ConversationItem]
    let options: ChappieMessageOptions
    let threadID: String
    /// Whether it belongs to the transcript.
    let isContinued: Bool
  }

  private func continuing(_ input: [ConversationItem], _ options: ChappieMessageOptions) -> Ask {
    Ask(input: input, options: options, threadID: transcript.threadID, isContinued: true)
  }

  private static func items(_ messages: [ChappieInputMessage]) throws -> [ConversationItem] {
    guard messages.last?.text.isEmpty == false else { throw ChappieClientError.noText }
    return messages.map { .message($0) }
  }

  private func answer(_ ask: Ask, _ caller: ChappieClient.TurnCaller) async throws
    -> (response: ChappieResponse, items: [ConversationItem])
  {
    let choice = transcript.choice
    let result = try await engine.turn(for: caller, isContinued: ask.isContinued) { scope in
      let tools = try await ToolRunner(caller.tools, declared: harness.tools, scope)
      let request = TurnRequest(
        choice, harness: harness, tools: tools.manifests, input: ask.input, options: ask.options,
        threadID: ask.threadID)
      return try await ToolLoop(engine: engine, scope: scope, tools: tools).run(request)
    }
    let response = ChappieResponse(
      outputText: result.text, responseID: result.responseID, model: result.model, usage: result.usage,
      isRefusal: result.isRefusal)
    return (response, result.items)
  }

  // MARK: Context

  /// Changes the transcript, once the turns that were asked for before have ended.
  func change(_ body: @escaping (inout Transcript) -> Void) async throws -> ChappieClientContext {
    try await turnstile.pass {
      body(&transcript)
      engine.forget()
      return context
    }
  }

  func select(_ choice: ModelChoice) -> ChappieClientContext {
    transcript.select(choice)
    return context
  }

  /// Has the model put the conversation in short.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func compact(interaction: SecretServiceClient.Interaction, hold: @escaping TurnSize.Hold) async throws
    -> ChappieClientContext
  {
    try await turnstile.pass {
      let summary = try await Compaction(engine: engine, hold: hold).summary(of: transcript, interaction)
      transcript.compact(summary)
      engine.forget()
      return context
    }
  }

  /// Puts the conversation in short where the configuration says so and the next message would be too much.
  private func compactIfFull(
    with new: [ConversationItem], _ choice: ModelChoice, _ caller: ChappieClient.TurnCaller
  ) async throws {
    guard configuration.automaticCompaction != .off, !transcript.items.isEmpty else { return }
    let tokens = (transcript.input + new).reduce(0) { $0 + $1.byteCount } / 4
    let catalogue = ModelCatalogue(slot: slot, backoff: configuration.rateLimitBackoff)
    // Without the list nothing is known of the window; what is wrong is told by the turn itself.
    guard let window = try? await catalogue.contextWindow(for: choice, caller.interaction),
      configuration.automaticCompaction.isDue(tokens: tokens, contextWindow: window)
    else { return }
    let summary = try await Compaction(engine: engine, hold: caller.hold).summary(of: transcript, caller.interaction)
    transcript.compact(summary)
    engine.forget()
    caller.record(.compaction(summary: summary))
  }
}

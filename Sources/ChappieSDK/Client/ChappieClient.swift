import GLibBridge

/// A conversation with the model, on the user's own plan.
///
/// A client owns one transcript. Turns that are part of it run one after the other.
public final class ChappieClient: Sendable {
  /// The model that answers when none is chosen and the backend offers this one. Where it does not, the one that it
  /// lists with the lowest ``ChappieModel/priority`` answers.
  public static let defaultModel = ModelChoice.standardSlug

  public let configuration: ChappieConfiguration
  private let tools: ToolSet
  let conversation: Conversation

  init(configuration: ChappieConfiguration, tools: ToolSet = ToolSet()) {
    self.configuration = configuration
    self.tools = tools
    conversation = Conversation(configuration: configuration)
  }

  // MARK: The account

  /// Who answers are asked for: what is known of the stored credential of this client's slot, as
  /// ``ChappieAuthSession/accountInfo`` has it. Nil where nobody is signed in, and where a keyring that is locked or
  /// silent has not told yet.
  @GLibActor
  public func accountInfo() async -> ChappieAccountInfo? {
    let slot = conversation.slot
    if slot.state.accountInfo == nil { await slot.look() }
    return slot.state.accountInfo
  }

  // MARK: Whole answers

  /// Appends a user message to the transcript and returns the answer's text.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func send(_ text: String) async throws -> String {
    try await send(.user(text))
  }

  /// Appends `message` to the transcript and returns the answer's text.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func send(_ message: ChappieInputMessage) async throws -> String {
    try await whole(.next(message)).outputText
  }

  /// Answers a transcript that the caller composed. It and the answer become this client's transcript.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func response(_ request: ChappieResponseRequest) async throws -> ChappieResponse {
    try await whole(.replay(request))
  }

  @GLibActor
  private func whole(_ turn: TurnInput) async throws -> ChappieResponse {
    try await run(turn, for: caller { _ in .proceed })
  }

  /// The program itself, with the tools that it gave this client.
  @GLibActor
  package func caller(
    _ deliver: @escaping @GLibActor (ChappieStreamEvent) -> FlowControl
  ) -> TurnCaller {
    TurnCaller(interaction: .forbidden, tools: tools, deliver: deliver)
  }

  // MARK: Streams

  /// Appends a user message to the transcript; the answer comes in pieces. Letting go of the stream cancels it.
  public func stream(_ text: String) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.user(text))
  }

  /// Appends `message` to the transcript; the answer comes in pieces. Letting go of the stream cancels it.
  public func stream(_ message: ChappieInputMessage) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.next(message))
  }

  /// As ``response(_:)``, in pieces. Letting go of the stream cancels it.
  public func streamResponse(_ request: ChappieResponseRequest) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.replay(request))
  }

  private func stream(_ turn: TurnInput) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    events { try await self.run(turn, for: $0) }
  }

  /// What happens in the turn that `run` runs. Letting go of the stream cancels it.
  package func events(
    of run: @escaping @GLibActor @Sendable (TurnCaller) async throws -> ChappieResponse
  ) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task.onGLib {
        do {
          let caller = caller { event in
            continuation.yield(event)
            return .proceed
          }
          let response = try await run(caller)
          continuation.yield(.completed(response))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  // MARK: Turns

  /// Runs a turn.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @GLibActor
  package func run(_ turn: TurnInput, for caller: TurnCaller) async throws -> ChappieResponse {
    switch turn {
    case .alone(let request): try await conversation.answerAlone(request, caller)
    case .next(let message): try await conversation.exclusively { try await $0.answer(message, for: caller) }
    case .replay(let request): try await conversation.exclusively { try await $0.replay(request, for: caller) }
    }
  }

  /// Runs `body` with the conversation once the turns and changes that were asked for before have ended. Turns that are
  /// asked of the client itself wait until `body` has.
  ///
  /// - Throws: what `body` throws, `CancellationError`.
  @GLibActor
  package func exclusively<Result: Sendable>(_ body: (HeldConversation) async throws -> Result) async throws -> Result {
    try await conversation.exclusively(body)
  }

  // MARK: Context

  /// The conversation as it is now.
  @GLibActor
  public func context() async -> ChappieClientContext {
    conversation.context
  }

  /// The slug of the model that answers.
  @GLibActor
  package var model: String { conversation.model.slug }

  /// How ``model`` is known.
  @GLibActor
  package var modelSource: ModelSource { conversation.model.source }

  /// Which model answers all later turns.
  @GLibActor
  package var modelChoice: ModelChoice {
    get { conversation.transcript.choice }
    set { _ = conversation.select(newValue) }
  }

  /// Calls `observer` when ``model`` may have changed by what the backend offers, for as long as the result is kept.
  @GLibActor
  package func observeModel(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    conversation.slot.modelCache.observe(observer)
  }

  /// Has `model`, and no other in its place, answer all later turns.
  @GLibActor
  @discardableResult
  public func selectModel(_ model: String) async -> ChappieClientContext {
    conversation.select(.chosen(model))
  }

  /// Forgets the conversation, once the turns that were asked for before have ended.
  ///
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func clearContext() async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.clear() }
  }

  /// Goes on with a conversation that was kept, in place of this client's.
  ///
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func resumeContext(_ context: ChappieClientContext) async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.resume(context) }
  }

  /// Replaces what was said by `summary`, which the model reads first from now on.
  ///
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func compactContext(summary: String) async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.compact(summary) }
  }

  /// Replaces what was said by a summary that the model writes.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @discardableResult
  public func compactContext() async throws -> ChappieClientContext {
    try await compactContext(interaction: .forbidden)
  }

  /// - Parameter hold: gets how many bytes this takes meanwhile, and throws when there is no room.
  @GLibActor
  package func compactContext(
    interaction: UserInteraction,
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void = { (_) throws(ChappieClientError) in }
  ) async throws -> ChappieClientContext {
    try await conversation.exclusively { try await $0.compact(interaction: interaction, hold: hold) }
  }

  /// About how many bytes of memory the conversation takes.
  @GLibActor
  package var contextFootprint: Int { conversation.transcript.footprint }

  /// How much of a window of `contextWindow` tokens the conversation fills.
  public func contextSize(contextWindow: Int) async -> ChappieContextSize {
    ChappieContextSize(estimatedTokens: await context().estimatedTokens, contextWindow: contextWindow)
  }

  /// What the model is told first, from the next turn on.
  @GLibActor
  package var harness: ChappieHarness {
    get { conversation.harness }
    set { conversation.harness = newValue }
  }
}

import GLibBridge

/// A conversation with the model, on the user's own plan.
///
/// A client owns one transcript. Turns that are part of it run one after the other.
public final class ChappieClient: Sendable {
  /// The default model, if the backend offers it. Otherwise the listed model with the lowest ``ChappieModel/priority``
  /// answers.
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

  /// The account of this client's slot, from the stored credential, as in ``ChappieAuthSession/accountInfo``. Nil if
  /// nobody is signed in, or while the keyring is locked or has not replied.
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

  /// Answers a transcript that the caller composed. The transcript and the answer replace this client's transcript.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func response(_ request: ChappieResponseRequest) async throws -> ChappieResponse {
    try await whole(.replay(request))
  }

  @GLibActor
  private func whole(_ turn: TurnInput) async throws -> ChappieResponse {
    try await run(turn, for: caller { _ in .proceed })
  }

  /// The caller that stands for the program itself, with the tools that it gave this client.
  @GLibActor
  package func caller(
    _ deliver: @escaping @GLibActor (ChappieStreamEvent) -> FlowControl
  ) -> TurnCaller {
    TurnCaller(interaction: .forbidden, tools: tools, deliver: deliver)
  }

  // MARK: Streams

  /// Appends a user message to the transcript and streams the answer. Releasing the stream cancels the turn.
  public func stream(_ text: String) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.user(text))
  }

  /// Appends `message` to the transcript and streams the answer. Releasing the stream cancels the turn.
  public func stream(_ message: ChappieInputMessage) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.next(message))
  }

  /// Same as ``response(_:)``, but streams the answer. Releasing the stream cancels the turn.
  public func streamResponse(_ request: ChappieResponseRequest) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.replay(request))
  }

  private func stream(_ turn: TurnInput) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    events { try await self.run(turn, for: $0) }
  }

  /// The events of the turn that `run` runs. Releasing the stream cancels the turn.
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

  /// Runs `body` with the conversation after all earlier turns and changes have ended. Later turns of this client wait
  /// until `body` has ended.
  ///
  /// - Throws: the error of `body`, `CancellationError`.
  @GLibActor
  package func exclusively<Result: Sendable>(_ body: (HeldConversation) async throws -> Result) async throws -> Result {
    try await conversation.exclusively(body)
  }

  // MARK: Context

  /// The current state of the conversation.
  @GLibActor
  public func context() async -> ChappieClientContext {
    conversation.context
  }

  /// The slug of the model that answers.
  @GLibActor
  package var model: String { conversation.model.slug }

  /// The source of ``model``.
  @GLibActor
  package var modelSource: ModelSource { conversation.model.source }

  /// The choice of the model for all later turns.
  @GLibActor
  package var modelChoice: ModelChoice {
    get { conversation.transcript.choice }
    set { _ = conversation.select(newValue) }
  }

  /// Calls `observer` when the backend's offer may have changed ``model``, until the result is released.
  @GLibActor
  package func observeModel(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    conversation.slot.modelCache.observe(observer)
  }

  /// Makes `model` answer all later turns, without a substitute.
  @GLibActor
  @discardableResult
  public func selectModel(_ model: String) async -> ChappieClientContext {
    conversation.select(.chosen(model))
  }

  /// Clears the conversation after all earlier turns have ended.
  ///
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func clearContext() async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.clear() }
  }

  /// Replaces this client's conversation by a stored one.
  ///
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func resumeContext(_ context: ChappieClientContext) async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.resume(context) }
  }

  /// Replaces the messages by `summary`, which the model then reads first.
  ///
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func compactContext(summary: String) async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.compact(summary) }
  }

  /// Replaces the messages by a summary that the model writes.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @discardableResult
  public func compactContext() async throws -> ChappieClientContext {
    try await compactContext(interaction: .forbidden)
  }

  /// - Parameter hold: reserves the memory that this takes, in bytes, and throws if there is no room.
  @GLibActor
  package func compactContext(
    interaction: UserInteraction,
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void = { (_) throws(ChappieClientError) in }
  ) async throws -> ChappieClientContext {
    try await conversation.exclusively { try await $0.compact(interaction: interaction, hold: hold) }
  }

  /// The approximate memory of the conversation, in bytes.
  @GLibActor
  package var contextFootprint: Int { conversation.transcript.footprint }

  /// The part of a window of `contextWindow` tokens that the conversation fills.
  public func contextSize(contextWindow: Int) async -> ChappieContextSize {
    ChappieContextSize(estimatedTokens: await context().estimatedTokens, contextWindow: contextWindow)
  }

  /// Sets the harness, from the next turn on.
  @GLibActor
  package var harness: ChappieHarness {
    get { conversation.harness }
    set { conversation.harness = newValue }
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A conversation with the model, on the user's own plan.
///
/// A client owns one transcript. Turns that are part of it, and changes of it, run one after the other in the order of
/// their calls. A turn that fails or is cancelled adds nothing to the transcript.
public final class ChappieClient: Sendable {
  /// The slug of the model that answers by default. If the backend does not offer it, the listed model with the lowest
  /// ``ChappieModel/priority`` answers in its place.
  public static let defaultModel = ModelChoice.standardSlug

  /// The configuration with which the client was made. Later changes, such as ``selectModel(_:)``, are not in it.
  public let configuration: ChappieConfiguration
  private let tools: ToolSet
  let conversation: Conversation

  init(configuration: ChappieConfiguration, tools: ToolSet = ToolSet()) {
    self.configuration = configuration
    self.tools = tools
    conversation = Conversation(configuration: configuration)
  }

  // MARK: The account

  /// The account of this client's slot, from the stored credential, as in ``ChappieAuthSession/accountInfo``. The call
  /// reads the keyring if the account is not known yet.
  ///
  /// - Returns: nil if nobody is signed in, or while the keyring is locked or does not answer.
  @GLibActor
  public func accountInfo() async -> ChappieAccountInfo? {
    let slot = conversation.slot
    if slot.state.accountInfo == nil { await slot.look() }
    return slot.state.accountInfo
  }

  // MARK: Whole answers

  /// Sends a user message. The message and the answer are appended to the transcript.
  ///
  /// - Parameters:
  ///   - text: the message, which must not be empty.
  ///   - options: the options of the answer.
  /// - Returns: the text of the whole answer.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func send(_ text: String, options: ChappieMessageOptions = ChappieMessageOptions()) async throws -> String {
    try await send(.user(text, options: options))
  }

  /// Sends a message. The message and the answer are appended to the transcript.
  ///
  /// - Parameter message: the message, whose text must not be empty.
  /// - Returns: the text of the whole answer.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func send(_ message: ChappieInputMessage) async throws -> String {
    try await whole(.next(message)).outputText
  }

  /// Answers a transcript that the caller composed. The transcript and the answer replace this client's transcript.
  ///
  /// - Parameter request: the transcript, whose last message must have a text, and the options of the turn.
  /// - Returns: the whole answer.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func response(_ request: ChappieResponseRequest) async throws -> ChappieResponse {
    try await whole(.replay(request))
  }

  @GLibActor
  func whole(_ turn: TurnInput) async throws -> ChappieResponse {
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

  /// Sends a user message as ``send(_:options:)`` does, and streams the answer. Releasing the stream cancels the turn.
  ///
  /// - Parameters:
  ///   - text: the message, which must not be empty.
  ///   - options: the options of the answer.
  /// - Returns: the events of the turn, ``ChappieStreamEvent/completed(_:)`` last. If the turn fails, the stream throws
  ///   ``ChappieClientError``; if the task that reads it is cancelled, `CancellationError`. The turn does not wait for the
  ///   reader: events that are not read yet take memory.
  public func stream(
    _ text: String, options: ChappieMessageOptions = ChappieMessageOptions()
  ) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.user(text, options: options))
  }

  /// Sends a message and streams the answer. Releasing the stream cancels the turn.
  ///
  /// - Parameter message: the message, whose text must not be empty.
  /// - Returns: as ``stream(_:options:)``.
  public func stream(_ message: ChappieInputMessage) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.next(message))
  }

  /// Same as ``response(_:)``, but streams the answer. Releasing the stream cancels the turn.
  ///
  /// - Parameter request: the transcript, whose last message must have a text, and the options of the turn.
  /// - Returns: as ``stream(_:options:)``.
  public func streamResponse(_ request: ChappieResponseRequest) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.replay(request))
  }

  private func stream(_ turn: TurnInput) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    events { try await self.run(turn, for: $0) }
  }

  /// The events of the turn that `run` runs. Releasing the stream cancels the turn. A stream whose reader is cancelled
  /// ends with `CancellationError`.
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
      continuation.onTermination = { end in
        task.cancel()
        // The stream would end without an error, like one whose answer is complete.
        if case .cancelled = end { continuation.finish(throwing: CancellationError()) }
      }
    }
  }

  // MARK: Turns

  /// Prepares for a turn that will come soon, so that its first word comes sooner. It asks the keyring without a prompt,
  /// and the backend for a connection; a failure is left to the turn.
  @GLibActor
  package func expectTurn() {
    conversation.expectTurn()
  }

  /// Runs a turn.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @GLibActor
  package func run(_ turn: TurnInput, for caller: TurnCaller) async throws -> ChappieResponse {
    switch turn {
    case .alone(let request): try await conversation.answerAlone(request, caller)
    case .first(let request): try await conversation.answerFirst(request, caller)
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

  /// The current state of the conversation, without a running turn.
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
    conversation.slot.modelCache.changes.observe(observer)
  }

  /// Makes `model` answer all turns that begin later. No other model answers in its place: a turn fails if the backend
  /// does not offer the model. This call does not ask the backend.
  ///
  /// - Parameter model: the slug of the model.
  /// - Returns: the conversation with the model.
  @GLibActor
  @discardableResult
  public func selectModel(_ model: String) async -> ChappieClientContext {
    conversation.select(.chosen(model))
  }

  /// Clears the conversation after all earlier turns have ended.
  ///
  /// - Returns: the empty conversation.
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func clearContext() async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.clear() }
  }

  /// Removes the user's last message and everything after it, after all earlier turns have ended.
  ///
  /// - Returns: the conversation as it now is.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there is no message of the user, as after a compaction;
  ///   `CancellationError`.
  @GLibActor
  @discardableResult
  public func undoTurn() async throws -> ChappieClientContext {
    try await conversation.exclusively { try $0.removeLastTurn() }
  }

  /// Replaces this client's conversation and model by stored ones, after all earlier turns have ended.
  ///
  /// - Parameter context: the stored conversation, as ``context()`` returned it.
  /// - Returns: the conversation as it now is.
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func resumeContext(_ context: ChappieClientContext) async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.resume(context) }
  }

  /// Replaces the messages by a summary, after all earlier turns have ended.
  ///
  /// - Parameter summary: the summary, which the model reads first from then on.
  /// - Returns: the conversation with the summary and without messages.
  /// - Throws: `CancellationError`.
  @GLibActor
  @discardableResult
  public func compactContext(summary: String) async throws -> ChappieClientContext {
    try await conversation.exclusively { $0.compact(summary) }
  }

  /// Replaces the messages by a summary that the model writes, after all earlier turns have ended. If the request for
  /// it fails, the conversation stays as it is.
  ///
  /// - Returns: the conversation with the summary and without messages.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there are no messages, other cases of
  ///   ``ChappieClientError``, `CancellationError`.
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
  package var contextFootprint: Int { conversation.footprint }

  /// The estimated part of a context window that the conversation fills.
  ///
  /// - Parameter contextWindow: the window in tokens, such as ``ChappieModel/contextWindow``.
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

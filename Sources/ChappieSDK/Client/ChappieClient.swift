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
  let tools: ToolSet
  private let mutex = AsyncMutex()
  /// Nil until the slot is used.
  @GLibActor private var usedEngine: TurnEngine?
  @GLibActor var transcript: Transcript
  /// The instructions and tools, from the next turn on.
  @GLibActor package var harness: ChappieHarness
  @GLibActor private var isHeld = false
  /// The items with which the transcript begins anew when nobody holds it. Only the latest are kept.
  @GLibActor private var beginning: [ConversationItem]?

  init(configuration: ChappieConfiguration, tools: ToolSet = ToolSet()) {
    self.configuration = configuration
    self.tools = tools
    harness = configuration.harness
    transcript = Transcript(configuration.modelChoice)
  }
}

@GLibActor
extension ChappieClient {
  var engine: TurnEngine {
    if let usedEngine { return usedEngine }
    let engine = TurnEngine(RequestRunner(configuration))
    usedEngine = engine
    return engine
  }

  var slot: CredentialSlot { engine.requests.slot }

  // MARK: The account

  /// The account of this client's slot, from the stored credential, as in ``ChappieAuthSession/accountInfo``. The call
  /// reads the keyring if the account is not known yet.
  ///
  /// - Returns: nil if nobody is signed in, or while the keyring is locked or does not answer.
  public func accountInfo() async -> ChappieAccountInfo? {
    if slot.state.accountInfo == nil { await slot.look() }
    return slot.state.accountInfo
  }

  // MARK: Turns

  /// Prepares for a turn that will come soon, so that its first word comes sooner. It asks the keyring without a prompt,
  /// and the backend for a connection; a failure is left to the turn.
  package func expectTurn() {
    engine.requests.prepare(transcript.choice)
  }

  /// Runs a turn.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  package func run(_ turn: TurnInput, for caller: TurnCaller) async throws -> ChappieResponse {
    switch turn {
    case .alone(let request):
      return try await answer(Self.items(request.messages), request.options, caller, isAlone: true).response
    case .first(let request):
      let input = try Self.items(request.messages)
      let result = try await answer(input, request.options, caller, isAlone: true)
      beginning = input + result.items
      if !isHeld { begin() }
      return result.response
    case .next(let message): return try await exclusively { try await $0.answer(message, for: caller) }
    case .replay(let request): return try await exclusively { try await $0.replay(request, for: caller) }
    }
  }

  /// Begins the transcript anew if a turn has asked for it.
  private func begin() {
    guard let items = beginning.take() else { return }
    _ = change { $0.clear(with: items) }
  }

  static func items(_ messages: [ChappieInputMessage]) throws -> [ConversationItem] {
    guard messages.last?.text.isEmpty == false else { throw ChappieClientError.noText }
    return messages.map { .message($0) }
  }

  /// - Parameter isAlone: whether the turn is not part of the transcript, and the next one does not continue from it.
  func answer(
    _ input: [ConversationItem], _ options: ChappieMessageOptions, _ caller: TurnCaller, isAlone: Bool = false
  ) async throws -> TurnResult {
    let search = try (options.webSearch ?? configuration.webSearch).declaration()
    let request = TurnRequest(
      transcript.choice, harness: harness, input: input, options: options,
      threadID: isAlone ? UniqueID.make() : transcript.threadID, webSearch: search)
    return try await engine.run(request, harness.tools, for: caller, isContinued: !isAlone)
  }

  /// Runs `body` with the conversation after all earlier turns and changes have ended. Later turns of this client wait
  /// until `body` has ended.
  ///
  /// - Throws: the error of `body`, `CancellationError`.
  package func exclusively<Result: Sendable>(_ body: (HeldConversation) async throws -> Result) async throws -> Result {
    try await mutex.withLock {
      isHeld = true
      defer {
        isHeld = false
        begin()
      }
      return try await body(HeldConversation(client: self))
    }
  }

  // MARK: Context

  /// The current state of the conversation, without a running turn.
  public func context() async -> ChappieClientContext {
    currentContext
  }

  var currentContext: ChappieClientContext { transcript.context(asking: model) }

  func change<Failure>(_ body: (inout Transcript) throws(Failure) -> Void) throws(Failure) -> ChappieClientContext {
    engine.forget()
    try body(&transcript)
    return currentContext
  }

  /// The slug of the model that answers.
  package var model: String {
    if case .chosen(let slug) = transcript.choice { slug } else { slot.modelCache.standard.slug }
  }

  /// The source of ``model``.
  package var modelSource: ModelSource { transcript.choice == .standard ? slot.modelCache.standard.source : .chosen }

  /// The choice of the model for all later turns.
  package var modelChoice: ModelChoice {
    get { transcript.choice }
    set { transcript.select(newValue) }
  }

  /// Calls `observer` when the backend's offer may have changed ``model``, until the result is released.
  package func observeModel(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    slot.modelCache.changes.observe(observer)
  }

  /// Makes `model` answer all turns that begin later. No other model answers in its place: a turn fails if the backend
  /// does not offer the model. This call does not ask the backend.
  ///
  /// - Parameter model: the slug of the model.
  /// - Returns: the conversation with the model.
  @discardableResult
  public func selectModel(_ model: String) async -> ChappieClientContext {
    modelChoice = .chosen(model)
    return currentContext
  }

  /// Clears the conversation after all earlier turns have ended.
  ///
  /// - Returns: the empty conversation.
  /// - Throws: `CancellationError`.
  @discardableResult
  public func clearContext() async throws -> ChappieClientContext {
    try await exclusively { $0.clear() }
  }

  /// Removes the user's last message and everything after it, after all earlier turns have ended.
  ///
  /// - Returns: the conversation as it now is.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there is no message of the user, as after a compaction;
  ///   `CancellationError`.
  @discardableResult
  public func undoTurn() async throws -> ChappieClientContext {
    try await exclusively { try $0.removeLastTurn() }
  }

  /// Replaces this client's conversation and model by stored ones, after all earlier turns have ended.
  ///
  /// - Parameter context: the stored conversation, as ``context()`` returned it.
  /// - Returns: the conversation as it now is.
  /// - Throws: `CancellationError`.
  @discardableResult
  public func resumeContext(_ context: ChappieClientContext) async throws -> ChappieClientContext {
    try await exclusively { $0.resume(context) }
  }

  /// Replaces the messages by a summary, after all earlier turns have ended.
  ///
  /// - Parameter summary: the summary, which the model reads first from then on.
  /// - Returns: the conversation with the summary and without messages.
  /// - Throws: `CancellationError`.
  @discardableResult
  public func compactContext(summary: String) async throws -> ChappieClientContext {
    try await exclusively { $0.compact(summary) }
  }

  /// Replaces the messages by a summary that the model writes, after all earlier turns have ended. If the request for
  /// it fails, the conversation stays as it is.
  ///
  /// - Returns: the conversation with the summary and without messages.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there are no messages, other cases of
  ///   ``ChappieClientError``, `CancellationError`.
  @discardableResult
  public nonisolated func compactContext() async throws -> ChappieClientContext {
    try await compactContext(interaction: .forbidden)
  }

  /// - Parameter hold: reserves the memory that this takes, in bytes, and throws if there is no room.
  package func compactContext(
    interaction: UserInteraction,
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void = { (_) throws(ChappieClientError) in }
  ) async throws -> ChappieClientContext {
    try await exclusively { try await $0.compact(interaction: interaction, hold: hold) }
  }

  /// The approximate memory of the conversation, in bytes.
  package var contextFootprint: Int {
    transcript.footprint + (beginning ?? []).reduce(0) { $0 + $1.footprint } + engine.requests.files.footprint
  }

  /// The estimated part of a context window that the conversation fills.
  ///
  /// - Parameter contextWindow: the window in tokens, such as ``ChappieModel/contextWindow``.
  public nonisolated func contextSize(contextWindow: Int) async -> ChappieContextSize {
    ChappieContextSize(estimatedTokens: await context().estimatedTokens, contextWindow: contextWindow)
  }
}

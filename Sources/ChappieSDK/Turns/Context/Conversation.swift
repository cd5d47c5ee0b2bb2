// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A client's transcript and the turns that extend it.
@GLibActor
final class Conversation {
  private let configuration: ChappieConfiguration
  private let mutex = AsyncMutex()
  private(set) lazy var slot = SlotRegistry.slot(for: configuration)
  private lazy var engine = TurnEngine(
    slot: slot, backoff: configuration.rateLimitBackoff, policy: configuration.streamingTransportPolicy)
  fileprivate(set) var transcript: Transcript
  private var isHeld = false
  /// The items with which the transcript begins anew when nobody holds it. Only the latest are kept.
  private var beginning: [ConversationItem]?
  var harness: ChappieHarness

  nonisolated init(configuration: ChappieConfiguration) {
    self.configuration = configuration
    harness = configuration.harness
    transcript = Transcript(configuration.modelChoice)
  }

  /// The slug of the model that answers, and its source.
  var model: (slug: String, source: ModelSource) {
    switch transcript.choice {
    case .standard: slot.modelCache.standard
    case .chosen(let slug): (slug, .chosen)
    }
  }

  /// The approximate memory, in bytes.
  var footprint: Int {
    transcript.footprint + (beginning ?? []).reduce(0) { $0 + $1.footprint } + engine.requests.files.footprint
  }

  var context: ChappieClientContext { transcript.context(asking: model.slug) }

  /// Sets the model of all later turns.
  func select(_ choice: ModelChoice) -> ChappieClientContext {
    transcript.select(choice)
    return context
  }

  // MARK: Turns

  /// Prepares for a turn that will come soon.
  func expectTurn() {
    engine.requests.prepare(transcript.choice)
  }

  /// Runs `body` after all earlier turns and changes have ended. Later ones wait until it has ended.
  ///
  /// - Throws: the error of `body`, `CancellationError`.
  func exclusively<Result: Sendable>(_ body: (HeldConversation) async throws -> Result) async throws -> Result {
    try await mutex.withLock {
      isHeld = true
      defer {
        isHeld = false
        begin()
      }
      return try await body(HeldConversation(self))
    }
  }

  /// Begins the transcript anew if a turn has asked for it.
  private func begin() {
    guard let items = beginning.take() else { return }
    _ = change {
      $0.clear()
      $0.append(items)
    }
  }

  /// Answers a request that is not part of the transcript. It does not wait for other turns.
  func answerAlone(_ request: ChappieResponseRequest, _ caller: TurnCaller) async throws -> ChappieResponse {
    try await answer(Self.items(request.messages), request.options, caller, isAlone: true).response
  }

  /// Answers a request as ``answerAlone(_:_:)`` does. The transcript then begins anew with it.
  func answerFirst(_ request: ChappieResponseRequest, _ caller: TurnCaller) async throws -> ChappieResponse {
    let input = try Self.items(request.messages)
    let result = try await answer(input, request.options, caller, isAlone: true)
    beginning = input + result.items
    if !isHeld { begin() }
    return result.response
  }

  fileprivate static func items(_ messages: [ChappieInputMessage]) throws -> [ConversationItem] {
    guard messages.last?.text.isEmpty == false else { throw ChappieClientError.noText }
    return messages.map { .message($0) }
  }

  /// - Parameter isAlone: whether the turn is not part of the transcript, and the next one does not continue from it.
  fileprivate func answer(
    _ input: [ConversationItem], _ options: ChappieMessageOptions, _ caller: TurnCaller, isAlone: Bool = false
  ) async throws -> TurnResult {
    let search = try (options.webSearch ?? configuration.webSearch).declaration()
    let request = TurnRequest(
      transcript.choice, harness: harness, input: input, options: options,
      threadID: isAlone ? UniqueID.make() : transcript.threadID, webSearch: search)
    return try await engine.run(request, harness.tools, for: caller, isContinued: !isAlone)
  }

  // MARK: Context

  fileprivate func change(_ body: (inout Transcript) -> Void) -> ChappieClientContext {
    engine.forget()
    body(&transcript)
    return context
  }

  private static let compaction = """
    You write the summary that replaces a conversation. Its reader continues the conversation and knows nothing \
    else of it.
    Keep: what the user wants and prefers, what was decided, facts, names, numbers, what tools have said, and what is \
    still open. Leave out greetings and detours. Write in the conversation's language, in short paragraphs, without a \
    preface. Do not answer what was asked.
    """

  /// Replaces the messages by a summary that the model writes.
  fileprivate func compact(
    interaction: UserInteraction, hold: @escaping TurnSize.Hold
  ) async throws -> ChappieClientContext {
    guard !transcript.items.isEmpty else {
      throw ChappieClientError.invalidArgument("There is no conversation to compact yet.")
    }
    let request = TurnRequest(
      transcript.choice, harness: ChappieHarness(name: "", instructions: Self.compaction),
      input: transcript.input + [.message(.user("Write the summary of this conversation now."))],
      options: ChappieMessageOptions(), threadID: transcript.threadID)
    let caller = TurnCaller(interaction: interaction, hold: hold) { _ in .proceed }
    let summary = try await engine.run(request, nil, for: caller, isContinued: false).response.outputText
    guard !summary.isEmpty else { throw ChappieClientError.network("the model wrote no summary") }
    return change { $0.compact(summary) }
  }

  /// Compacts the conversation if the configuration asks for it and the next message would not fit.
  fileprivate func compactIfFull(
    with new: [ConversationItem], _ choice: ModelChoice, _ caller: TurnCaller
  ) async throws {
    guard configuration.automaticCompaction != .off, !transcript.items.isEmpty else { return }
    let tokens = (transcript.input + new).reduce(0) { $0 + $1.byteCount } / 4
    let catalogue = ModelCatalogue(slot: slot, backoff: configuration.rateLimitBackoff)
    // Without the list of models the window is unknown. The turn itself reports the error.
    guard let window = try? await catalogue.contextWindow(for: choice, caller.interaction),
      configuration.automaticCompaction.isDue(tokens: tokens, contextWindow: window)
    else { return }
    let context = try await compact(interaction: caller.interaction, hold: caller.hold)
    caller.record(.compaction(summary: context.compactedSummary ?? ""))
  }
}

/// Exclusive access to a conversation. Do not store it.
@GLibActor
package struct HeldConversation {
  private let conversation: Conversation

  fileprivate init(_ conversation: Conversation) {
    self.conversation = conversation
  }

  /// The current state of the conversation.
  package var context: ChappieClientContext { conversation.context }

  /// Answers the next message, and appends both. A failed turn changes nothing.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  package func answer(_ message: ChappieInputMessage, for caller: TurnCaller) async throws -> ChappieResponse {
    let new = try Conversation.items([message])
    let choice = ModelChoice(message.options.model) ?? conversation.transcript.choice
    try await conversation.compactIfFull(with: new, choice, caller)
    let result = try await conversation.answer(conversation.transcript.input + new, message.options, caller)
    conversation.transcript.append(new + result.items)
    return result.response
  }

  /// Answers a transcript of the caller, which then replaces the conversation's.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func replay(_ request: ChappieResponseRequest, for caller: TurnCaller) async throws -> ChappieResponse {
    let input = try Conversation.items(request.messages)
    let result = try await conversation.answer(input, request.options, caller)
    conversation.transcript.replace(with: input + result.items)
    return result.response
  }

  /// Clears the conversation.
  @discardableResult
  package func clear() -> ChappieClientContext { conversation.change { $0.clear() } }

  /// Removes the user's last message and everything after it.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there is none.
  @discardableResult
  func removeLastTurn() throws(ChappieClientError) -> ChappieClientContext {
    var isRemoved = false
    let context = conversation.change { isRemoved = $0.removeLastTurn() }
    guard isRemoved else { throw .noTurn }
    return context
  }

  /// Resumes a stored conversation.
  @discardableResult
  package func resume(_ context: ChappieClientContext) -> ChappieClientContext {
    conversation.change { $0.resume(context) }
  }

  /// Replaces the messages by `summary`.
  @discardableResult
  package func compact(_ summary: String) -> ChappieClientContext { conversation.change { $0.compact(summary) } }

  /// Replaces the messages by a summary that the model writes.
  ///
  /// - Parameter hold: reserves the memory that this takes, in bytes, and throws if there is no room.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  package func compact(
    interaction: UserInteraction,
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void = { (_) throws(ChappieClientError) in }
  ) async throws -> ChappieClientContext {
    try await conversation.compact(interaction: interaction, hold: hold)
  }
}

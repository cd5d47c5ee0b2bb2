import ChappieSDK
import GLibBridge

extension ChappieClient {
  /// This client with a memory: its turns are kept in `store`. Turns that are asked of the client itself are not.
  public func runtime(store: any ChappieThreadStore) -> ChappieRuntime {
    ChappieRuntime(client: self, store: store, thread: nil)
  }

  /// This client as it goes on with `thread`, which is read when the first turn needs it.
  package func runtime(store: any ChappieThreadStore, thread: String) -> ChappieRuntime {
    ChappieRuntime(client: self, store: store, thread: thread)
  }
}

/// A client whose turns are kept, thread by thread.
///
/// The first message begins a thread, which is named by it; the next ones go on with it, until ``createThread(title:)``
/// begins another or ``resume(thread:)`` goes back to one. Turns run one after the other. What others have added to the
/// thread meanwhile is read before the next turn.
@GLibActor
public final class ChappieRuntime {
  public nonisolated let client: ChappieClient
  public nonisolated let store: any ChappieThreadStore
  private var thread: ThreadInUse?

  /// The thread that turns are added to.
  private struct ThreadInUse {
    let id: String
    /// Nobody has named it, so the next message does.
    var isUntitled = false
    /// How many of its turns the client knows; nil before it was read.
    var knownTurns: Int?
  }

  nonisolated init(client: ChappieClient, store: any ChappieThreadStore, thread: String?) {
    self.client = client
    self.store = store
    self.thread = thread.map { ThreadInUse(id: $0) }
  }

  /// The id of the thread that the next message goes to; nil when that one begins a thread.
  public var currentThread: String? { thread?.id }

  // MARK: Turns

  /// Runs a turn and keeps it.
  ///
  /// - Throws: as ``send(_:)-(ChappieInputMessage)``.
  package func run(_ message: ChappieInputMessage, for caller: TurnCaller) async throws
    -> ChappieResponse
  {
    guard !message.text.isEmpty else { throw ChappieClientError.noText }
    return try await client.exclusively { conversation in
      let lease = TurnLease()
      let thread = try await lease.during { try await threadInUse(for: message, conversation) }
      let recorder = TurnRecorder(message)
      let response: ChappieResponse
      do {
        response = try await conversation.answer(message, for: caller.recorded { recorder.take($0) })
      } catch {
        // As it is known by now: the turn itself may have found it out.
        let model = message.options.model ?? client.model
        let turn = recorder.turn(failed: error, after: caller.text.whole, model: model)
        await lease.during { await keepFailed(turn, in: thread, conversation) }
        throw error
      }
      do {
        try await lease.during { try await keep(recorder.turn(answered: response), in: thread, conversation) }
      } catch {
        throw ChappieRuntimeError.notStored(response, ChappieThreadStoreError(error))
      }
      return response
    }
  }

  /// The current thread, named by `message` where nothing else has named it.
  private func threadInUse(for message: ChappieInputMessage, _ conversation: HeldConversation) async throws -> String {
    guard let thread = try await upToDate(conversation) else {
      let new = try await begin(store.title(for: message))
      thread = new
      return new.id
    }
    if thread.isUntitled {
      let title = await store.title(for: message)
      guard !title.isEmpty else { return thread.id }
      try await store.change(thread.id, .rename(title))
      self.thread?.isUntitled = false
    }
    return thread.id
  }

  private func begin(_ title: String) async throws -> ThreadInUse {
    ThreadInUse(id: try await store.create(titled: title), isUntitled: title.isEmpty, knownTurns: 0)
  }

  /// The current thread, with the client knowing all that is stored of it.
  private func upToDate(_ conversation: HeldConversation) async throws -> ThreadInUse? {
    guard let thread else { return nil }
    try await forgettingWhatIsGone(thread.id, conversation) {
      guard let known = thread.knownTurns else { return try await adopt(store.thread(thread.id), conversation) }
      guard let summary = try await store.summary(of: thread.id) else { return }
      guard summary.turnCount == known else { return try await adopt(store.thread(thread.id), conversation) }
      self.thread?.isUntitled = summary.title.isEmpty
    }
    return self.thread
  }

  private func adopt(_ stored: ChappieThread, _ conversation: HeldConversation) {
    conversation.resume(conversation.context.resuming(stored))
    thread = ThreadInUse(
      id: stored.id, isUntitled: stored.summary.title.isEmpty, knownTurns: stored.summary.turnCount)
  }

  /// When somebody has deleted the thread, its conversation is forgotten too, and the next message begins another.
  private func forgettingWhatIsGone(
    _ id: String, _ conversation: HeldConversation, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch ChappieThreadStoreError.noSuchThread(let missing) {
      forget(id, conversation)
      throw ChappieThreadStoreError.noSuchThread(missing)
    }
  }

  private func forget(_ id: String, _ conversation: HeldConversation) {
    guard thread?.id == id else { return }
    thread = nil
    conversation.clear()
  }

  /// In a task of its own: a caller that leaves must not stop it.
  private func keep(_ turn: ChappieTurn, in thread: String, _ conversation: HeldConversation) async throws {
    let known = self.thread?.knownTurns
    // Where it fails, the client is told anew what is stored before it goes on.
    if self.thread?.id == thread { self.thread?.knownTurns = nil }
    try await forgettingWhatIsGone(thread, conversation) {
      try await Task.onGLib { [store] in try await store.append(turn, to: thread) }.value
    }
    if self.thread?.id == thread { self.thread?.knownTurns = known.map { $0 + 1 } }
  }

  private func keepFailed(_ turn: ChappieTurn, in thread: String, _ conversation: HeldConversation) async {
    do {
      try await keep(turn, in: thread, conversation)
    } catch {
      Log.notice("A turn that had failed could not be kept: \(ChappieThreadStoreError(error))")
    }
  }

  // MARK: Compaction

  /// Has the model summarise the conversation, and keeps the summary.
  ///
  /// - Throws: ``ChappieClientError``, ``ChappieThreadStoreError`` when the summary could not be kept,
  ///   `CancellationError`.
  @discardableResult
  public func compactContext() async throws -> ChappieClientContext {
    try await compactContext(interaction: .forbidden)
  }

  /// As ``compactContext()``; `interaction` decides whether the keyring may ask for its password.
  @discardableResult
  package func compactContext(interaction: UserInteraction) async throws -> ChappieClientContext {
    try await keepingSummary { try await $0.compact(interaction: interaction) }
  }

  /// Replaces what was said by `summary`, and keeps that.
  ///
  /// - Throws: ``ChappieThreadStoreError`` when it is replaced and could not be kept, `CancellationError`.
  @discardableResult
  public func compactContext(summary: String) async throws -> ChappieClientContext {
    try await keepingSummary { $0.compact(summary) }
  }

  private func keepingSummary(
    _ compact: (HeldConversation) async throws -> ChappieClientContext
  ) async throws -> ChappieClientContext {
    try await client.exclusively { conversation in
      let lease = TurnLease()
      _ = try await lease.during { try await upToDate(conversation) }
      let context = try await compact(conversation)
      if let thread, let summary = context.compactedSummary {
        let turn = ChappieTurn(recording: [.compaction(summary: summary)])
        try await lease.during { try await keep(turn, in: thread.id, conversation) }
      }
      return context
    }
  }

  // MARK: The current thread

  /// Begins a thread: what was said before is not part of it. Without a title its first message names it.
  ///
  /// - Throws: ``ChappieThreadStoreError``, `CancellationError`.
  @discardableResult
  public func createThread(title: String = "") async throws -> String {
    try await client.exclusively { conversation in
      let new = try await begin(title)
      conversation.clear()
      thread = new
      return new.id
    }
  }

  /// Goes on with a stored thread: the model knows what was said in it. What tools were called, and what the model
  /// thought, it does not.
  ///
  /// - Throws: ``ChappieThreadStoreError``, `CancellationError`.
  @discardableResult
  public func resume(thread id: String) async throws -> ChappieThread {
    try await client.exclusively { conversation in
      let stored = try await store.thread(id)
      adopt(stored, conversation)
      return stored
    }
  }

  /// Deletes a thread for good. When it is the current one, its conversation is forgotten as well.
  ///
  /// - Throws: ``ChappieThreadStoreError``, `CancellationError`.
  public func delete(thread id: String) async throws {
    guard thread?.id == id else { return try await store.delete(id) }
    try await client.exclusively { conversation in
      try await store.delete(id)
      forget(id, conversation)
    }
  }
}

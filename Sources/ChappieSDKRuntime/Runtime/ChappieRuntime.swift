// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ChappieClient {
  /// A runtime that sends turns through this client and keeps them in `store`. Turns that the caller sends through the
  /// client itself are not stored.
  public func runtime(store: any ChappieThreadStore) -> ChappieRuntime {
    ChappieRuntime(client: self, store: store, thread: nil)
  }

  /// A runtime that continues `thread`. The first turn reads the thread.
  package func runtime(store: any ChappieThreadStore, thread: String) -> ChappieRuntime {
    ChappieRuntime(client: self, store: store, thread: thread)
  }
}

/// A client whose turns are stored in threads.
///
/// The first message begins a thread and names it. The following messages continue the thread, until
/// ``createThread(title:)`` begins another or ``resume(thread:)`` returns to an earlier one. Turns run one after the
/// other. Before each turn the runtime reads the turns that other programs have added to the thread.
@GLibActor
public final class ChappieRuntime {
  /// The client that runs the turns.
  public nonisolated let client: ChappieClient
  /// The store that keeps the turns.
  public nonisolated let store: any ChappieThreadStore
  private var thread: ThreadInUse?

  /// The current thread.
  private struct ThreadInUse {
    let id: String
    /// Whether it has no title yet: the next message gives it one.
    var isUntitled = false
    /// What the client knows of it; nil before the thread was read.
    var known: Known?
  }

  /// The turns that the client knows.
  private struct Known {
    /// The number of turns.
    let turns: Int
    /// The id of the last one; nil if there is none. Another one tells that turns were removed before others were added.
    let last: String?
    /// The number of the thread's change after which the turns were these; nil if it is unknown.
    var change: Int64?
  }

  nonisolated init(client: ChappieClient, store: any ChappieThreadStore, thread: String?) {
    self.client = client
    self.store = store
    self.thread = thread.map { ThreadInUse(id: $0) }
  }

  /// The id of the thread that the next message continues; nil if that message begins a thread.
  public var currentThread: String? { thread?.id }

  // MARK: Turns

  /// Runs a turn and stores it.
  ///
  /// - Throws: as ``send(_:)``.
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
        // Read after the turn: the turn itself may have found out the default model.
        let model = message.options.model ?? client.model
        let turn = recorder.turn(failed: error, model: model)
        do {
          try await lease.during { try await keep(turn, in: thread, conversation) }
        } catch {
          Log.notice("A failed turn could not be stored: \(ChappieThreadStoreError(error))")
        }
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

  /// The id of the current thread. `message` begins it if there is none, and names it if it has no title.
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
    ThreadInUse(
      id: try await store.create(titled: title), isUntitled: title.isEmpty, known: Known(turns: 0, last: nil))
  }

  /// The current thread, after the client was given all of its stored turns.
  private func upToDate(_ conversation: HeldConversation) async throws -> ThreadInUse? {
    guard let thread else { return nil }
    try await forgettingIfDeleted(thread.id, conversation) {
      guard let known = thread.known else { return try await adopt(store.thread(thread.id), conversation) }
      guard let summary = try await store.summary(of: thread.id) else { return }
      self.thread?.isUntitled = summary.title.isEmpty
      guard summary.turnCount != known.turns || summary.changeNumber != known.change else { return }
      let stored = try await store.thread(thread.id)
      if stored.summary.turnCount != known.turns || stored.turns.last?.id != known.last {
        adopt(stored, conversation)
      } else {
        // The change was no turn, so the client keeps what a stored thread has not: tool calls and reasoning.
        self.thread?.known?.change = stored.summary.changeNumber
      }
    }
    return self.thread
  }

  /// Makes a stored thread the current one, and its messages the context of the client.
  private func adopt(_ stored: ChappieThread, _ conversation: HeldConversation) {
    conversation.resume(conversation.context.resuming(stored))
    thread = ThreadInUse(
      id: stored.id, isUntitled: stored.summary.title.isEmpty,
      known: Known(
        turns: stored.summary.turnCount, last: stored.turns.last?.id, change: stored.summary.changeNumber))
  }

  /// Forgets the conversation if the thread was deleted meanwhile. The next message then begins another thread.
  private func forgettingIfDeleted(
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

  /// Appends a turn in a task of its own, so that a cancelled caller does not stop it.
  private func keep(_ turn: ChappieTurn, in thread: String, _ conversation: HeldConversation) async throws {
    let known = self.thread?.known
    // If the append fails, the next turn reads the thread again.
    if self.thread?.id == thread { self.thread?.known = nil }
    var summary: ChappieThreadSummary?
    try await forgettingIfDeleted(thread, conversation) {
      summary = try await Task.onGLib { [store] in
        try await store.append(turn, to: thread)
        return try? await store.summary(of: thread)
      }.value
    }
    guard self.thread?.id == thread, let known else { return }
    let turns = known.turns + 1
    // Another number means that another program has changed the thread too.
    guard summary.map({ $0.turnCount == turns }) ?? true else { return }
    self.thread?.known = Known(turns: turns, last: turn.id, change: summary?.changeNumber)
  }

  // MARK: Compaction

  /// Has the model summarise the conversation, and stores the summary.
  ///
  /// - Throws: ``ChappieClientError``; ``ChappieThreadStoreError`` if the summary could not be stored, although the
  ///   context is already compacted; `CancellationError`.
  @discardableResult
  public func compactContext() async throws -> ChappieClientContext {
    try await compactContext(interaction: .forbidden)
  }

  /// As ``compactContext()``.
  ///
  /// - Parameter interaction: whether the keyring may ask for its password.
  @discardableResult
  package func compactContext(interaction: UserInteraction) async throws -> ChappieClientContext {
    try await keepingSummary { try await $0.compact(interaction: interaction) }
  }

  /// Replaces the messages of the conversation by `summary`, and stores it.
  ///
  /// - Throws: ``ChappieThreadStoreError`` if the summary could not be stored, although the context is already
  ///   compacted; `CancellationError`.
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

  /// Begins a thread with an empty context, and makes it the current one.
  ///
  /// - Parameter title: if it is empty, the first message names the thread.
  /// - Returns: the id of the thread.
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

  /// Makes a stored thread the current one. The model gets its messages, but neither its tool calls nor its reasoning.
  ///
  /// - Returns: the thread.
  /// - Throws: ``ChappieThreadStoreError``, `CancellationError`.
  @discardableResult
  public func resume(thread id: String) async throws -> ChappieThread {
    try await client.exclusively { conversation in
      let stored = try await store.thread(id)
      adopt(stored, conversation)
      return stored
    }
  }

  /// Removes the last turn of the current thread for good, after all earlier turns have ended: the message and everything
  /// after it, also if the turn failed.
  ///
  /// - Returns: the conversation as it now is: as after ``resume(thread:)``, the messages alone.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there is no such turn, as after a compaction;
  ///   ``ChappieThreadStoreError``, `CancellationError`.
  @discardableResult
  public func undoTurn() async throws -> ChappieClientContext {
    try await undoTurn(asking: nil)
  }

  /// As ``undoTurn()``.
  ///
  /// - Parameter text: the text of the message that the turn must have; nil for any.
  @discardableResult
  package func undoTurn(asking text: String?) async throws -> ChappieClientContext {
    try await client.exclusively { conversation in
      guard let id = thread?.id else { throw ChappieClientError.noTurn }
      try await forgettingIfDeleted(id, conversation) {
        try await store.undoTurn(of: id, asking: text)
        thread?.known = nil
        // The turn is removed, even if the rest cannot be read: then the next turn reads it.
        if let rest = try? await store.thread(id) { adopt(rest, conversation) }
      }
      return conversation.context
    }
  }

  /// Deletes a thread for good. If it is the current thread, the conversation is forgotten as well.
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

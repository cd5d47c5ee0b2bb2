import ChappieSDK
import GLibBridge

extension ChappieClient {
  /// This client with a memory: its turns are kept in `store`. Turns that are asked of the client itself are not.
  public func runtime(store: any ChappieThreadStore) -> ChappieRuntime {
    ChappieRuntime(client: self, store: store)
  }
}

/// A client whose turns are kept, thread by thread.
///
/// The first message begins a thread, which is named by it; the next ones go on with it, until ``createThread(title:)``
/// begins another or ``resume(thread:)`` goes back to one. Turns run one after the other.
@GLibActor
public final class ChappieRuntime {
  public nonisolated let client: ChappieClient
  public nonisolated let store: any ChappieThreadStore
  private let turnstile = Turnstile()
  private var thread: ThreadInUse?

  /// The thread that turns are added to.
  private struct ThreadInUse {
    let id: String
    /// Nobody has named it, so the next message does.
    var isUntitled = false
  }

  nonisolated init(client: ChappieClient, store: any ChappieThreadStore) {
    self.client = client
    self.store = store
  }

  /// The id of the thread that the next message goes to; nil when that one begins a thread.
  public var currentThread: String? { thread?.id }

  // MARK: Turns

  /// Runs a turn and keeps it.
  ///
  /// - Throws: as ``send(_:)-(ChappieInputMessage)``.
  package func run(_ message: ChappieInputMessage, for caller: ChappieClient.TurnCaller) async throws
    -> ChappieResponse
  {
    guard !message.text.isEmpty else { throw ChappieClientError.noText }
    return try await turnstile.pass {
      let thread = try await threadInUse(for: message)
      let recorder = TurnRecorder(message, model: message.options.model ?? client.model)
      let response: ChappieResponse
      do {
        response = try await client.run(.next(message), for: caller.recorded { recorder.take($0) })
      } catch {
        await keepFailed(recorder.turn(failed: error), in: thread)
        throw error
      }
      do {
        try await keep(recorder.turn(answered: response), in: thread)
      } catch {
        throw ChappieRuntimeError.notStored(response, ChappieThreadStoreError(error))
      }
      return response
    }
  }

  /// The current thread, named by `message` where nothing else has named it.
  private func threadInUse(for message: ChappieInputMessage) async throws -> String {
    let title = ThreadTitle.make(of: message.text)
    guard let thread else {
      let new = try await begin(title)
      thread = new
      return new.id
    }
    if thread.isUntitled, !title.isEmpty {
      try await store.change(thread.id, .rename(title))
      self.thread?.isUntitled = false
    }
    return thread.id
  }

  private func begin(_ title: String) async throws -> ThreadInUse {
    let now = UnixTime.now
    let summary = ChappieThreadSummary(id: UniqueID.make(), title: title, createdAt: now, updatedAt: now)
    try await store.create(summary)
    return ThreadInUse(id: summary.id, isUntitled: title.isEmpty)
  }

  /// In a task of its own: a caller that leaves must not stop it.
  private func keep(_ turn: ChappieTurn, in thread: String) async throws {
    do {
      try await Task.onGLib { [store] in try await store.append(turn, to: thread) }.value
    } catch ChappieThreadStoreError.noSuchThread(let id) {
      // Somebody has deleted it: the next message begins another.
      if self.thread?.id == thread { self.thread = nil }
      throw ChappieThreadStoreError.noSuchThread(id)
    }
  }

  private func keepFailed(_ turn: ChappieTurn, in thread: String) async {
    do {
      try await keep(turn, in: thread)
    } catch {
      Log.notice("A turn that had failed could not be kept: \(ChappieThreadStoreError(error))")
    }
  }

  // MARK: Compaction

  /// Has the model put the conversation in short, and keeps the summary.
  ///
  /// - Throws: ``ChappieClientError``, ``ChappieThreadStoreError`` when it is in short and could not be kept,
  ///   `CancellationError`.
  @discardableResult
  public func compactContext() async throws -> ChappieClientContext {
    try await compactContext(interaction: .forbidden)
  }

  /// As ``compactContext()``; `interaction` decides whether the keyring may ask for its password.
  @discardableResult
  package func compactContext(interaction: SecretServiceClient.Interaction) async throws -> ChappieClientContext {
    try await keepingSummary { try await client.compactContext(interaction: interaction) }
  }

  /// Replaces what was said by `summary`, and keeps that.
  ///
  /// - Throws: ``ChappieThreadStoreError`` when it is replaced and could not be kept, `CancellationError`.
  @discardableResult
  public func compactContext(summary: String) async throws -> ChappieClientContext {
    try await keepingSummary { try await client.compactContext(summary: summary) }
  }

  private func keepingSummary(_ compact: () async throws -> ChappieClientContext) async throws -> ChappieClientContext {
    try await turnstile.pass {
      let context = try await compact()
      if let thread, let summary = context.compactedSummary {
        let turn = ChappieTurn(
          id: UniqueID.make(), recordedAt: UnixTime.now, events: [.compaction(summary: summary)])
        try await keep(turn, in: thread.id)
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
    try await turnstile.pass {
      let new = try await begin(title)
      try await client.clearContext()
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
    try await turnstile.pass {
      let stored = try await store.thread(id)
      try await client.resumeContext(await client.context().resuming(stored))
      thread = ThreadInUse(id: id, isUntitled: stored.summary.title.isEmpty)
      return stored
    }
  }

  /// Deletes a thread for good. When it is the current one, its conversation is forgotten as well.
  ///
  /// - Throws: ``ChappieThreadStoreError``, `CancellationError`.
  public func delete(thread id: String) async throws {
    guard thread?.id == id else { return try await store.delete(id) }
    try await turnstile.pass {
      try await store.delete(id)
      guard thread?.id == id else { return }
      thread = nil
      // In a task of its own: a caller that leaves must not keep what was deleted.
      try await Task.onGLib { [client] in _ = try await client.clearContext() }.value
    }
  }
}

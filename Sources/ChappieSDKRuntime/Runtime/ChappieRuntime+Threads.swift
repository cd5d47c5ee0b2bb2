// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Operations on stored threads. None changes the current thread.
extension ChappieRuntime {
  /// Lists the threads, the latest change first.
  ///
  /// - Parameters:
  ///   - includeArchived: whether archived threads are listed too.
  ///   - limit: the most threads, 1 or more; nil for all.
  ///   - after: the last thread of the previous page, as it was listed there; nil for the first page.
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func listThreads(
    includeArchived: Bool = false, limit: Int? = nil, after: ChappieThreadSummary? = nil
  ) async throws -> [ChappieThreadSummary] {
    try await store.threads(ChappieThreadQuery(includeArchived ? .all : .active, limit: limit, after: after))
  }

  /// Lists the archived threads alone, the latest change first.
  ///
  /// - Parameters:
  ///   - limit: the most threads, 1 or more; nil for all.
  ///   - after: the last thread of the previous page, as it was listed there; nil for the first page.
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func archivedThreads(limit: Int? = nil, after: ChappieThreadSummary? = nil) async throws
    -> [ChappieThreadSummary]
  {
    try await store.threads(ChappieThreadQuery(.archived, limit: limit, after: after))
  }

  /// Reads a thread with its turns, archived or not.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func thread(_ id: String) async throws -> ChappieThread {
    try await store.thread(id)
  }

  /// Gives a thread a new title. If the title is empty, the next message names the thread.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func rename(thread id: String, to title: String) async throws {
    try await store.change(id, .rename(title))
  }

  /// Archives a thread: it is no longer listed among the active threads, and retention deletes it later.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func archive(thread id: String) async throws {
    try await store.change(id, .archive)
  }

  /// Makes an archived thread active again. A message to the thread does the same.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func unarchive(thread id: String) async throws {
    try await store.change(id, .unarchive)
  }

  /// The size of the store.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func usage() async throws -> ChappieThreadStoreUsage {
    try await store.usage()
  }
}

/// Sending messages, with the answer as a whole or as a stream.
extension ChappieRuntime {
  /// Sends a user message, stores the turn, and returns the text of the answer.
  ///
  /// - Throws: as ``send(_:)``.
  public func send(_ text: String, options: ChappieMessageOptions = ChappieMessageOptions()) async throws -> String {
    try await send(.user(text, options: options))
  }

  /// Sends a message, stores the turn, and returns the text of the answer.
  ///
  /// A turn that fails is stored as well, with its error.
  ///
  /// - Throws: ``ChappieClientError`` if there is no answer; ``ChappieRuntimeError`` if the answer could not be stored;
  ///   ``ChappieThreadStoreError`` if the thread could not be opened, in which case nothing was sent;
  ///   `CancellationError`.
  public func send(_ message: ChappieInputMessage) async throws -> String {
    try await run(message, for: client.caller { _ in .proceed }).outputText
  }

  /// Sends a user message and streams the answer, as ``stream(_:)``.
  public nonisolated func stream(
    _ text: String, options: ChappieMessageOptions = ChappieMessageOptions()
  ) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.user(text, options: options))
  }

  /// Sends a message and streams the answer. ``ChappieStreamEvent/completed(_:)`` comes after the turn was stored.
  ///
  /// If the caller drops the stream, or the task that reads it is cancelled, the turn is cancelled and stored as
  /// cancelled. The stream fails with the errors of ``send(_:)``, which include `CancellationError`.
  public nonisolated func stream(_ message: ChappieInputMessage)
    -> AsyncThrowingStream<ChappieStreamEvent, any Error>
  {
    client.events { try await self.run(message, for: $0) }
  }
}

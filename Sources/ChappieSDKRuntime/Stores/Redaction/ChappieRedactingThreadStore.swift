// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// A store that redacts threads and writes them to another store. It matches patterns on a separate thread, since a
/// message may have megabytes.
public struct ChappieRedactingThreadStore: ChappieThreadStore {
  private let store: any ChappieThreadStore
  private let redaction: ChappieThreadRedaction

  /// - Parameters:
  ///   - store: the store that keeps the redacted threads.
  ///   - redaction: the rules.
  public init(_ store: any ChappieThreadStore, redaction: ChappieThreadRedaction) {
    self.store = store
    self.redaction = redaction
  }

  /// The title of the redacted message, so that it holds no redacted text.
  public func title(for message: ChappieInputMessage) async -> String {
    guard redaction.keepsTitles else { return redaction.title(message.text) }
    return await store.title(for: redacted(message) { $0.message($1) })
  }

  public func create(_ thread: ChappieThreadSummary) async throws {
    var thread = thread
    thread.title = await redacted(thread.title) { $0.title($1) }
    try await store.create(thread)
  }

  public func append(_ turn: ChappieTurn, to thread: String) async throws {
    try await store.append(redacted(turn) { $0.turn($1) }, to: thread)
  }

  public func undoTurn(of thread: String, asking text: String?) async throws {
    var stored = text
    if let text { stored = await redacted(ChappieInputMessage.user(text)) { $0.message($1) }.text }
    try await store.undoTurn(of: thread, asking: stored)
  }

  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a title if titles are redacted completely, because it would
  ///   be lost; the errors of the other store.
  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    switch change {
    case .rename(let title):
      let redacted = await redacted(title) { $0.title($1) }
      guard redaction.keepsTitles || redacted == title else {
        throw ChappieClientError.invalidArgument("The title cannot be stored: titles are redacted.")
      }
      try await store.change(thread, .rename(redacted))
    case .archive, .unarchive: try await store.change(thread, change)
    }
  }

  public func thread(_ id: String) async throws -> ChappieThread { try await store.thread(id) }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? { try await store.summary(of: thread) }

  public func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
    try await store.threads(query)
  }

  public func delete(_ thread: String) async throws { try await store.delete(thread) }

  public func usage() async throws -> ChappieThreadStoreUsage { try await store.usage() }

  private func redacted<Value: Sendable>(
    _ value: Value, _ redact: @escaping @Sendable (ChappieThreadRedaction, Value) -> Value
  ) async -> Value {
    await offActor { [redaction] in redact(redaction, value) }
  }
}

import ChappieSDK
import GLibBridge

/// Writes to another store what a redaction leaves of it. Patterns are matched on a thread of their own, since prompts
/// may have megabytes.
public struct ChappieRedactingThreadStore: ChappieThreadStore {
  private let store: any ChappieThreadStore
  private let redaction: ChappieThreadRedaction

  public init(_ store: any ChappieThreadStore, redaction: ChappieThreadRedaction) {
    self.store = store
    self.redaction = redaction
  }

  /// Made of what is left of the message, so that no part of what is left out is in it.
  public func title(for message: ChappieInputMessage) async -> String {
    guard redaction.keepsTitles else { return redaction.title(message.text) }
    return await store.title(for: left(of: message) { $0.message($1) })
  }

  public func create(_ thread: ChappieThreadSummary) async throws {
    var thread = thread
    thread.title = await left(of: thread.title) { $0.title($1) }
    try await store.create(thread)
  }

  public func append(_ turn: ChappieTurn, to thread: String) async throws {
    try await store.append(left(of: turn) { $0.turn($1) }, to: thread)
  }

  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a title where titles are left out as a whole: it would be
  ///   lost; what the other store throws.
  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    switch change {
    case .rename(let title):
      let left = await left(of: title) { $0.title($1) }
      guard redaction.keepsTitles || left == title else {
        throw ChappieClientError.invalidArgument("The title cannot be kept: titles are left out of threads here.")
      }
      try await store.change(thread, .rename(left))
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

  private func left<Value: Sendable>(
    of value: Value, _ redact: @escaping @Sendable (ChappieThreadRedaction, Value) -> Value
  ) async -> Value {
    await offActor { [redaction] in redact(redaction, value) }
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import SecretMemory

/// A store that keeps threads in memory until the process ends: for tests, and for temporary conversations.
public final class ChappieInMemoryThreadStore: ChappieThreadStore {
  private let store: ChappieFileThreadStore

  /// Makes an empty store.
  ///
  /// - Parameter retentionPolicy: the limits of age and size, as on a disk: a turn that alone is beyond the size is refused.
  public convenience init(retentionPolicy: ChappieThreadStoreRetentionPolicy = .default) {
    self.init(retentionPolicy: retentionPolicy) { UnixTime.now }
  }

  /// - Parameters:
  ///   - serverTime: returns the time by the clocks of servers; nil if it is unknown.
  ///   - now: returns the time in Unix seconds.
  package init(
    retentionPolicy: ChappieThreadStoreRetentionPolicy,
    serverTime: @escaping @Sendable () -> Timestamp? = { ServerTime.now }, now: @escaping @Sendable () -> Int64
  ) {
    store = ChappieFileThreadStore(
      directory: nil, device: { "" }, keys: MemoryKey(), retention: retentionPolicy, clock: now, serverTime: serverTime)
  }

  public func create(_ thread: ChappieThreadSummary) async throws { try await store.create(thread) }

  public func append(_ turn: ChappieTurn, to thread: String) async throws { try await store.append(turn, to: thread) }

  public func undoTurn(of thread: String, asking text: String?) async throws {
    try await store.undoTurn(of: thread, asking: text)
  }

  public func thread(_ id: String) async throws -> ChappieThread { try await store.thread(id) }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? { try await store.summary(of: thread) }

  public func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
    try await store.threads(query)
  }

  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    try await store.change(thread, change)
  }

  public func delete(_ thread: String) async throws { try await store.delete(thread) }

  public func usage() async throws -> ChappieThreadStoreUsage { try await store.usage() }
}

/// A key that nothing keeps.
private struct MemoryKey: ThreadKeySource {
  private let secret = AEAD.randomKey()

  func existingKey(interaction: UserInteraction) async throws -> SecretBytes? { secret }

  func key(interaction: UserInteraction) async throws -> SecretBytes { secret }

  func destroy() async throws {}
}

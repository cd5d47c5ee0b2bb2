// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The lease of a turn on its thread and on the keys of the stores, from the turn's first access until its end.
///
/// Retention leaves a leased thread alone. With a leased key the turn can be stored at its end, even if the screen or
/// the keyring was locked meanwhile. A leased key serves the thread of its turn alone.
final class TurnLease: Sendable {
  /// The lease of the turn that makes the current store access; nil outside a turn.
  @TaskLocal static var current: TurnLease?

  /// The leased threads of all turns of this process, by their leases and the names of their stores. Two objects for one
  /// directory have the same name.
  private static let threads = Mutex<[ObjectIdentifier: [String: Set<String>]]>([:])

  private let keys = Mutex<[ObjectIdentifier: StoreKey]>([:])

  deinit {
    Self.threads.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// The ids of the leased threads of a store. Retention leaves them alone.
  ///
  /// - Parameter other: one more that is in use.
  static func threads(of store: String, and other: String?) -> Set<String> {
    threads.withLock { $0.values.reduce(into: Set([other].compactMap(\.self))) { $0.formUnion($1[store] ?? []) } }
  }

  /// Runs a store access of the turn.
  func during<Result>(_ access: () async throws -> Result) async rethrows -> Result {
    try await Self.$current.withValue(self, operation: access)
  }

  /// Leases a thread, if a turn makes this access: retention leaves the thread alone until the turn ends.
  static func use(_ thread: String, of store: String) {
    guard let current else { return }
    threads.withLock { _ = $0[ObjectIdentifier(current), default: [:]][store, default: []].insert(thread) }
  }

  /// The leased key of a store; nil before the first access.
  func key(of store: ChappieFileThreadStore) -> StoreKey? {
    keys.withLock { $0[ObjectIdentifier(store)] }
  }

  /// Leases the key of a store.
  func keep(_ key: StoreKey, of store: ChappieFileThreadStore) {
    keys.withLock { $0[ObjectIdentifier(store)] = key }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The lease of a turn on its thread and on the keys of the stores, from the turn's first access until its end.
///
/// Retention leaves a leased thread alone. With a leased key the turn can be stored at its end, even if the screen or
/// the keyring was locked meanwhile. A leased key serves the thread of its turn alone.
final class TurnLease: Sendable {
  /// The lease of the turn that makes the current store access; nil outside a turn.
  @TaskLocal static var current: TurnLease?

  private let keys = Mutex<[ObjectIdentifier: StoreKey]>([:])
  private let places = Mutex<Set<ThreadsInUse.Place>>([])

  deinit {
    for place in places.withLock({ $0 }) { ThreadsInUse.leave(place) }
  }

  /// Runs a store access of the turn.
  func during<Result>(_ access: () async throws -> Result) async rethrows -> Result {
    try await Self.$current.withValue(self, operation: access)
  }

  /// Leases a thread.
  func use(_ place: ThreadsInUse.Place) {
    if places.withLock({ $0.insert(place).inserted }) { ThreadsInUse.enter(place) }
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

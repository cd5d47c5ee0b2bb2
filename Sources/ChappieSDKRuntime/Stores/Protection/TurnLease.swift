import Synchronization

/// What a turn has from when it first uses a store until it ends: its thread, which retention leaves as it is, and the
/// keys. With them it is kept at its end, also where something was locked meanwhile: what is under way ends, as a
/// request does. No other thread is read, and none is archived or deleted, with a key that is held.
final class TurnLease: Sendable {
  /// That of the store access that this task makes.
  @TaskLocal static var current: TurnLease?

  private let keys = Mutex<[ObjectIdentifier: StoreKey]>([:])
  private let places = Mutex<Set<ThreadsInUse.Place>>([])

  deinit {
    for place in places.withLock({ $0 }) { ThreadsInUse.leave(place) }
  }

  /// Runs an access of the turn's own.
  func during<Result>(_ access: () async throws -> Result) async rethrows -> Result {
    try await Self.$current.withValue(self, operation: access)
  }

  /// The turn uses a thread.
  func use(_ place: ThreadsInUse.Place) {
    if places.withLock({ $0.insert(place).inserted }) { ThreadsInUse.enter(place) }
  }

  func key(of store: ChappieFileThreadStore) -> StoreKey? {
    keys.withLock { $0[ObjectIdentifier(store)] }
  }

  func keep(_ key: StoreKey, of store: ChappieFileThreadStore) {
    keys.withLock { $0[ObjectIdentifier(store)] = key }
  }
}

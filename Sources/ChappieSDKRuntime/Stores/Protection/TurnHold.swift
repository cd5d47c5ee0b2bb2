import Synchronization

/// The keys that a turn had when it began. With them it is kept at its end, also where something was locked meanwhile:
/// what is under way ends, as a request does. Nothing else can be read with them.
final class TurnHold: Sendable {
  /// That of the store access that this task makes.
  @TaskLocal static var current: TurnHold?

  private let keys = Mutex<[ObjectIdentifier: StoreKey]>([:])

  func key(of store: ChappieFileThreadStore) -> StoreKey? {
    keys.withLock { $0[ObjectIdentifier(store)] }
  }

  func keep(_ key: StoreKey, of store: ChappieFileThreadStore) {
    keys.withLock { $0[ObjectIdentifier(store)] = key }
  }
}

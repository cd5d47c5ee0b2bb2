import Synchronization

/// The threads of this process that a turn is under way in, however long it takes: retention leaves them as they are.
enum ThreadsInUse {
  struct Place: Hashable, Sendable {
    /// A name for the store that tells it from others: two objects for one directory have the same.
    let store: String
    let id: String
  }

  /// How many turns are under way in each.
  private static let turns = Mutex<[Place: Int]>([:])

  static func enter(_ place: Place) {
    turns.withLock { $0[place, default: 0] += 1 }
  }

  static func leave(_ place: Place) {
    turns.withLock { turns in
      let rest = turns[place, default: 1] - 1
      turns[place] = rest == 0 ? nil : rest
    }
  }

  /// The ids of those of a store.
  static func ids(in store: String) -> Set<String> {
    turns.withLock { Set($0.keys.filter { $0.store == store }.map(\.id)) }
  }
}

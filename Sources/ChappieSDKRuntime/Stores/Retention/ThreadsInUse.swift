import Synchronization

/// The threads of this process with a running turn. Retention leaves them alone.
enum ThreadsInUse {
  struct Place: Hashable, Sendable {
    /// A name for the store. Two objects for one directory have the same name.
    let store: String
    let id: String
  }

  /// The number of running turns of each thread.
  private static let turns = Mutex<[Place: Int]>([:])

  /// Notes that a turn has begun.
  static func enter(_ place: Place) {
    turns.withLock { $0[place, default: 0] += 1 }
  }

  /// Notes that a turn has ended.
  static func leave(_ place: Place) {
    turns.withLock { turns in
      let rest = turns[place, default: 1] - 1
      turns[place] = rest == 0 ? nil : rest
    }
  }

  /// The ids of the threads of a store.
  static func ids(in store: String) -> Set<String> {
    turns.withLock { Set($0.keys.filter { $0.store == store }.map(\.id)) }
  }
}

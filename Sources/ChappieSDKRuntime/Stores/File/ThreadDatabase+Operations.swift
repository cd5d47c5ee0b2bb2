import GLibBridge
import SQLite

/// The operations of a store, on the database.
extension ThreadDatabase {
  /// The approximate size of a row without its encrypted content, in bytes.
  private static let rowBytes: Int64 = 128

  /// - Throws: ``ChappieThreadStoreError``.
  mutating func create(_ summary: ChappieThreadSummary, _ key: StoreKey) throws {
    let id = summary.id
    guard ThreadID.isValid(id) else {
      throw ChappieThreadStoreError.unavailable(
        "The id of the thread is invalid: use 1 to 64 of the characters a to z, 0 to 9 and -.")
    }
    let cap = cap
    try writing(key, makes: true) { database, index in
      guard index[id] == nil else { throw ChappieThreadStoreError.exists(id) }
      var kept = summary
      kept.changeNumber = index.nextChange
      kept.turnCount = 0
      kept.bytes = Self.rowBytes + Int64(summary.title.utf8.count)
      try index.checkRoom(for: kept.bytes, in: id, cap)
      try ThreadTables.insert(kept, ThreadSealer(key: key.secret), database)
      return [.set(ThreadIndex.Entry(summary: kept, isReadable: true))]
    }
  }

  /// - Throws: ``ChappieThreadStoreError``.
  mutating func append(_ turn: ChappieTurn, to id: String, _ key: StoreKey) throws {
    let cap = cap
    try change(id, key) { database, index, summary in
      let bytes = Int64(try ThreadTables.append(turn, to: id, ThreadSealer(key: key.secret), database)) + Self.rowBytes
      try index.checkRoom(for: bytes, in: id, cap)
      summary.apply(.turn(turn, number: index.nextChange))
      summary.bytes += bytes
    }
  }

  /// - Parameter now: Unix seconds.
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func change(_ id: String, _ change: ChappieThreadChange, now: Int64, _ key: StoreKey) throws {
    try self.change(id, key) { database, index, summary in
      let number = index.nextChange
      guard let update = ThreadUpdate(change, of: summary, at: now, number: number) else { return }
      if case .renamed(let title, _, _) = update {
        try ThreadTables.setTitle(title, number: number, of: id, ThreadSealer(key: key.secret), database)
        summary.bytes += Int64(title.utf8.count - summary.title.utf8.count)
      }
      summary.apply(update)
    }
  }

  private mutating func change(
    _ id: String, _ key: StoreKey, _ body: (Database, ThreadIndex, inout ChappieThreadSummary) throws -> Void
  ) throws {
    var isThere = false
    try writing(key) { database, index in
      guard var entry = index[id] else { return [] }
      guard entry.isReadable else {
        throw ChappieThreadStoreError.unreadable("The thread cannot be read on this device, so it cannot be changed.")
      }
      isThere = true
      try body(database, index, &entry.summary)
      guard entry != index[id] else { return [] }
      try ThreadTables.update(entry.summary, database)
      return [.set(entry)]
    }
    guard isThere else { throw ChappieThreadStoreError.noSuchThread(id) }
  }

  /// - Throws: ``ChappieThreadStoreError``.
  mutating func delete(_ id: String, _ key: StoreKey) throws {
    var isThere = false
    try writing(key) { database, index in
      guard index[id] != nil else { return [] }
      isThere = true
      try ThreadTables.delete(id, database)
      return [.removed(id)]
    }
    guard isThere else { throw ChappieThreadStoreError.noSuchThread(id) }
  }

  /// - Throws: ``ChappieThreadStoreError``.
  mutating func thread(_ id: String, _ key: StoreKey) throws -> ChappieThread {
    try reading(key) { database, index in
      guard let database, let entry = index[id] else { throw ChappieThreadStoreError.noSuchThread(id) }
      guard entry.isReadable else {
        throw ChappieThreadStoreError.unreadable(
          "The thread cannot be read: it is damaged, or its key is missing. It can be deleted.")
      }
      let seal = ThreadSealer(key: key.secret)
      var thread = ChappieThread(summary: entry.summary)
      if try ThreadTables.title(of: id, seal, database) == nil { thread.note(damage: 0, .changed) }
      var next: Int64 = 1
      try ThreadTables.forEachTurn(of: id, database) { place, content in
        if place.sequence > next { thread.note(damage: next, .missing(place.sequence - next)) }
        next = place.sequence + 1
        guard let turn = seal.turn(content, at: place) else { return thread.note(damage: place.sequence, .changed) }
        thread.turns.append(turn)
      }
      let missing = Int64(entry.summary.turnCount) - (next - 1)
      if missing > 0 { thread.note(damage: next, .missing(missing)) }
      return thread
    }
  }

  /// Carries out a plan of the retention policy in one transaction.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func enforce(_ plan: RetentionPlan, now: Int64, _ key: StoreKey) throws {
    try writing(key) { database, index in
      var changes: [ThreadIndex.Change] = []
      for id in plan.archived {
        guard var entry = index[id] else { continue }
        entry.summary.apply(.archived(at: now))
        try ThreadTables.update(entry.summary, database)
        changes.append(.set(entry))
      }
      for id in plan.deleted {
        try ThreadTables.delete(id, database)
        changes.append(.removed(id))
      }
      return changes
    }
  }
}

extension ThreadIndex {
  /// Checks that the thread fits into the limit, if all other readable threads are deleted.
  ///
  /// - Throws: ``ChappieThreadStoreError/full(_:)``.
  fileprivate func checkRoom(for count: Int64, in id: String, _ cap: Int64?) throws {
    guard let cap, totalBytes + count > cap else { return }
    let needed = unreadableBytes + (self[id]?.summary.bytes ?? 0) + count
    guard needed > cap else { return }
    // Even deleting every readable thread would not make room.
    guard unreadableBytes < cap else {
      throw ChappieThreadStoreError.full(
        "Threads that cannot be read on this device fill the limit of \(cap) bytes: raise the limit, or delete all threads."
      )
    }
    throw ChappieThreadStoreError.full(
      "The thread would exceed the limit of \(cap) bytes for all threads: begin another thread, or raise the limit.")
  }
}

/// The damage to a part of a thread.
private enum Damage {
  case changed
  case missing(Int64)

  var reason: String {
    switch self {
    case .changed: "it was changed, or encrypted with another key"
    case .missing(1): "it is missing"
    case .missing(let count): "it is missing, and so are the next \(count - 1)"
    }
  }
}

extension ChappieThread {
  fileprivate mutating func note(damage place: Int64, _ what: Damage) {
    damage.append(ChappieThreadDamage(offset: place, reason: what.reason))
  }
}

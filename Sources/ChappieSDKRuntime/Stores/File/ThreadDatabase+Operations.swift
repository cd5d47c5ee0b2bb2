// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The operations of a store, on the database.
extension ThreadDatabase {
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func create(_ summary: ChappieThreadSummary, _ key: StoreKey) throws {
    let id = summary.id
    guard ThreadID.isValid(id) else {
      throw ChappieThreadStoreError.unavailable(
        "The id of the thread is invalid: use 1 to 64 of the characters a to z, 0 to 9 and -.")
    }
    let cap = cap
    try writing(key, makes: true) { tables, index in
      guard index[id] == nil else { throw ChappieThreadStoreError.exists(id) }
      var kept = summary
      kept.changeNumber = index.nextChange
      kept.turnCount = 0
      kept.bytes = Int64(ThreadTables.rowBytes + summary.title.utf8.count)
      try index.checkRoom(for: Count(clamping: kept.bytes), in: id, cap)
      try tables.insert(kept)
      return [.set(ThreadIndex.Entry(summary: kept, state: .whole))]
    }
  }

  /// - Returns: whether the thread was archived.
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func append(_ turn: ChappieTurn, to id: String, _ key: StoreKey) throws -> Bool {
    let (cap, files) = (cap, files)
    return try change(id, key) { tables, index, summary in
      let bytes = try tables.append(turn, to: id) + ThreadTables.rowBytes
      // SQLite writes each page that is deleted to its log.
      try files?.keepReserve(Int64(bytes + bytes / 4 + 524_288))
      try index.checkRoom(for: Count(clamping: bytes), in: id, cap)
      summary.add(turn, number: index.nextChange)
      summary.resize(adding: bytes)
    }
  }

  /// - Parameter now: Unix seconds.
  /// - Throws: ``ChappieThreadStoreError``; ``ChappieClientError`` if there is no such turn to remove.
  mutating func undoTurn(of id: String, asking text: String?, now: Int64, _ key: StoreKey) throws {
    _ = try change(id, key) { tables, index, summary in
      let sizes = try tables.undoTurn(of: id, asking: text, at: StoredTime(seconds: Timestamp(clamping: now)))
      summary.removeTurn(at: now, number: index.nextChange)
      summary.resize(adding: sizes.added, removing: sizes.removed)
    }
    clearLog()
  }

  /// - Parameter now: Unix seconds.
  /// - Returns: whether the thread was archived.
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func change(_ id: String, _ change: ChappieThreadChange, now: Int64, _ key: StoreKey) throws -> Bool {
    try self.change(id, key) { tables, index, summary in
      let (before, number) = (summary.title, index.nextChange)
      summary.apply(change, at: now, number: number)
      guard summary.title != before else { return }
      try tables.setTitle(summary.title, number: Int(number), of: id)
      summary.resize(adding: summary.title.utf8.count, removing: before.utf8.count)
    }
  }

  private mutating func change(
    _ id: String, _ key: StoreKey, _ body: (ThreadTables, ThreadIndex, inout ChappieThreadSummary) throws -> Void
  ) throws -> Bool {
    var wasArchived = false
    let isOpen = try writing(key) { tables, index in
      guard var entry = index[id] else { throw ChappieThreadStoreError.noSuchThread(id) }
      guard entry.isReadable else {
        throw ChappieThreadStoreError.unreadable(
          en("The thread cannot be read on this device, so it cannot be changed."))
      }
      wasArchived = entry.summary.isArchived
      try body(tables, index, &entry.summary)
      guard entry != index[id] else { return [] }
      try tables.update(entry.summary)
      return [.set(entry)]
    }
    guard isOpen else { throw ChappieThreadStoreError.noSuchThread(id) }
    return wasArchived
  }

  /// Deletes a thread, on a full disk in the room that is kept for this.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func delete(_ id: String, _ key: StoreKey) throws {
    do {
      try delete(id, key) { tables in
        try tables.delete(id)
        return false
      }
    } catch let error as ChappieThreadStoreError {
      guard case .full = error, let room = try? files?.spendReserve() else { throw error }
      defer { try? files?.keepReserve(room) }
      // The log has grown by the attempt.
      clearLog()
      var isLeft = true
      while isLeft {
        try delete(id, key) { tables in
          isLeft = try tables.deletePart(of: id)
          return isLeft
        }
        clearLog()
      }
    }
  }

  /// - Parameter body: deletes the thread or a part of it, and returns whether something of it is left.
  private mutating func delete(_ id: String, _ key: StoreKey, _ body: (ThreadTables) throws -> Bool) throws {
    let isOpen = try writing(key) { tables, index in
      guard index[id] != nil else { throw ChappieThreadStoreError.noSuchThread(id) }
      return try body(tables) ? [] : [.removed(id)]
    }
    guard isOpen else { throw ChappieThreadStoreError.noSuchThread(id) }
  }

  /// - Throws: ``ChappieThreadStoreError``.
  mutating func thread(_ id: String, _ key: StoreKey) throws -> ChappieThread {
    try reading(key) { tables, index in
      guard let tables, let entry = index[id] else { throw ChappieThreadStoreError.noSuchThread(id) }
      guard entry.isReadable else {
        throw ChappieThreadStoreError.unreadable(
          en("The thread cannot be read: it is damaged, or its key is missing. It can be deleted."))
      }
      var reader = ThreadReader(entry)
      try tables.forEachTurn(of: id) { sequence, place, content in
        reader.take(sequence, place.flatMap { tables.seal.content(content, at: $0) })
      }
      return reader.whole
    }
  }

  /// Carries out a plan of the retention policy in one transaction. Threads that are due for their age stay while the
  /// clock is not to be believed.
  ///
  /// - Parameters:
  ///   - now: Unix seconds.
  ///   - serverTime: the time by the servers' clocks; nil if it is unknown.
  /// - Returns: what was done. The rest of what is due stays in ``RetentionPlan/expired``.
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func enforce(_ plan: RetentionPlan, now: Int64, serverTime: Timestamp?, _ key: StoreKey) throws
    -> RetentionPlan
  {
    var done = plan
    try writing(key) { tables, index in
      if try !plan.expired.isEmpty && Self.believes(now, serverTime, index, tables) {
        done.deleted += plan.expired
        done.expired = []
      }
      var changes: [ThreadIndex.Change] = []
      for id in done.archived {
        guard var entry = index[id] else { continue }
        entry.summary.archivedAtSeconds = now
        try tables.update(entry.summary)
        changes.append(.set(entry))
      }
      for id in done.deleted {
        try tables.delete(id)
        changes.append(.removed(id))
      }
      return changes
    }
    return done
  }

  /// Whether the clock is to be believed. The database keeps the reasons, because no process may run for a day.
  private static func believes(
    _ now: Int64, _ serverTime: Timestamp?, _ index: ThreadIndex, _ tables: ThreadTables
  ) throws -> Bool {
    let known = try tables.clock()
    var clock = known
    let believes = clock.believes(
      Timestamp(clamping: now), after: index.summaries.lastWrite, serverTime: serverTime)
    if clock != known { try tables.keep(clock) }
    return believes
  }
}

extension ThreadIndex {
  /// Checks that the thread fits into the limit, if all other readable threads are deleted.
  ///
  /// - Throws: ``ChappieThreadStoreError/full(_:)``.
  fileprivate func checkRoom(for bytes: Count, in id: String, _ limit: Int64?) throws {
    guard let limit, let cap = Count(limit), totalBytes + bytes > cap else { return }
    let needed = unreadableBytes + Count(clamping: self[id]?.summary.bytes ?? 0) + bytes
    guard needed > cap else { return }
    // Even deleting every readable thread would not make room.
    guard unreadableBytes < cap else {
      throw ChappieThreadStoreError.full(
        en(
          """
          Threads that cannot be read on this device fill the limit of \(limit) bytes: raise the limit, or delete all \
          threads.
          """))
    }
    throw ChappieThreadStoreError.full(
      en(
        "The thread would exceed the limit of \(limit) bytes for all threads: begin another thread, or raise the limit."
      ))
  }
}

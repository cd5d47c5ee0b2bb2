import GLibBridge

/// What a store is asked for. The index has been refreshed, and the caller has the lock where something is written.
extension StoreFiles {
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func create(_ summary: ChappieThreadSummary, _ key: StoreKey) throws {
    let id = summary.id
    guard ThreadID.isValid(id) else {
      throw ChappieThreadStoreError.unavailable(
        "A thread cannot be stored under this id: take 1 to 64 of a to z, 0 to 9 and -.")
    }
    guard index[id] == nil, !directory.contains(id + Self.threadSuffix) else {
      throw ChappieThreadStoreError.exists(id)
    }
    let log = threadLog(id, key)
    var kept = summary
    kept.changeNumber = index.nextChange
    let content = log.header.line + (try log.record(ThreadRecord.created(kept).content, number: 0))
    try checkRoom(for: content.count, in: id)
    try make(id, content)
    kept.turnCount = 0
    kept.bytes = Int64(content.count)
    note([.set(ThreadIndex.Entry(summary: kept, nextNumber: 1, isReadable: true))], key)
  }

  /// - Throws: ``ChappieThreadStoreError``.
  mutating func append(_ turn: ChappieTurn, to id: String, _ key: StoreKey) throws {
    try record(.turn(turn, number: index.nextChange), in: id, key)
  }

  /// - Parameter now: Unix seconds.
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func change(_ id: String, _ change: ChappieThreadChange, now: Int64, _ key: StoreKey) throws {
    guard let summary = index[id]?.summary else { throw ChappieThreadStoreError.noSuchThread(id) }
    guard let record = ThreadRecord(change, of: summary, at: now, number: index.nextChange) else { return }
    try self.record(record, in: id, key)
  }

  /// - Throws: ``ChappieThreadStoreError``.
  mutating func delete(_ id: String, _ key: StoreKey) throws {
    guard index[id] != nil else { throw ChappieThreadStoreError.noSuchThread(id) }
    try remove(id)
    note([.removed(id)], key)
    try synchronize()
  }

  /// The thread, and whether its last record is not whole, which may be because it is being written.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func thread(_ id: String, _ key: StoreKey) throws -> (thread: ChappieThread, isTorn: Bool) {
    let file = try file(of: id, for: .reading)
    let log = try ThreadLog(content(of: file), sealed: threadLog(id, key))
    guard !log.isUnreadable else {
      throw ChappieThreadStoreError.unreadable(
        "Nothing of the thread can be read: its file is damaged, or its key is gone. It can be deleted.")
    }
    let nothing = ChappieThreadSummary(id: id, createdAt: 0, updatedAt: 0)
    let entry = ThreadIndex.Entry(log, after: nothing)
    correct(entry, key)
    return (ChappieThread(summary: entry.summary, turns: log.turns, damage: log.damage), log.isTorn)
  }

  /// Does what the policy asks for now.
  ///
  /// - Parameter done: what of it was done, also where something else could not be.
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func enforce(_ plan: RetentionPlan, now: Int64, _ key: StoreKey, _ done: inout RetentionPlan) throws {
    var changes: [ThreadIndex.Change] = []
    defer { if !changes.isEmpty { note(changes, key) } }
    // A crash takes nothing here that is not done again: so the disk is not waited for.
    for id in plan.archived {
      changes.append(.set(try write(.archived(at: now), in: id, durably: false, key)))
      done.archived.append(id)
    }
    guard !plan.deleted.isEmpty else { return }
    for id in plan.deleted {
      try remove(id)
      changes.append(.removed(id))
      done.deleted.append(id)
    }
    try synchronize()
  }

  // MARK: Records

  /// Writes a record and waits until it is on the disk.
  private mutating func record(_ record: ThreadRecord, in id: String, _ key: StoreKey) throws {
    note([.set(try write(record, in: id, durably: true, key))], key)
  }

  private func write(_ record: ThreadRecord, in id: String, durably: Bool, _ key: StoreKey) throws
    -> ThreadIndex.Entry
  {
    let file = try file(of: id, for: .writing)
    guard var entry = index[id] else { throw ChappieThreadStoreError.noSuchThread(id) }
    let size = try reading { try file.size() }
    // Somebody was killed between the log and the index, or while writing the log.
    if size != entry.summary.bytes { entry = try self.entry(of: id, size: size, key) }
    guard entry.isReadable else {
      throw ChappieThreadStoreError.unreadable("The thread cannot be read here, and so nothing is added to it.")
    }
    let bytes = try threadLog(id, key).record(record.content, number: entry.nextNumber)
    if case .turn = record { try checkRoom(for: bytes.count, in: id) }
    try writing { try file.write(bytes, at: entry.summary.bytes, durably: durably) }
    guard attempt.settle() else {
      // Who was told that it failed asks again.
      try writing { try file.write([], at: entry.summary.bytes, durably: durably) }
      throw ChappieThreadStoreError.notInTime
    }
    entry.summary.apply(record)
    entry.summary.bytes += Int64(bytes.count)
    entry.nextNumber += 1
    return entry
  }

  /// - Throws: ``ChappieThreadStoreError/full(_:)`` when the cap leaves no room even without all other threads.
  private func checkRoom(for count: Int, in id: String) throws {
    guard let cap, index.totalBytes + Int64(count) > cap else { return }
    let needed = index.unreadableBytes + (index[id]?.summary.bytes ?? 0) + Int64(count)
    guard needed > cap else { return }
    // It is not passed over: what is written now could not be deleted in time either.
    guard index.unreadableBytes < cap else {
      throw ChappieThreadStoreError.full(
        "What cannot be read here fills the \(cap) bytes that all threads may take: raise the limit, or delete all of them."
      )
    }
    throw ChappieThreadStoreError.full(
      "The thread would be larger than the \(cap) bytes that all may take: begin another one, or raise the limit.")
  }
}

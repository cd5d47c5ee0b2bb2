// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import SQLite

/// The tables of the database, and all statements on them. FORMAT.md explains the columns.
struct ThreadTables {
  let database: Database
  let seal: ThreadSealer

  /// `Chap`, in ASCII.
  private static let application: Count = 0x4368_6170
  private static let version: Count = 1

  /// What a row counts for the limit, beside its texts.
  static let rowBytes = 128

  // MARK: Creating

  /// Sets up a connection, and creates the tables if they are missing.
  ///
  /// - Parameters:
  ///   - key: creates the tables for the device of this key; nil creates none.
  ///   - patience: how long to wait for another process that creates them.
  /// - Returns: whether the tables exist.
  /// - Throws: `DatabaseError`; ``ChappieThreadStoreError/unreadable(_:)`` for another version, and for a database that
  ///   is no thread store.
  static func prepare(
    _ database: Database, makingFor key: StoreKey?, patience: Duration, _ place: String
  ) throws -> Bool {
    try database.run("PRAGMA cell_size_check = ON")
    try database.run("PRAGMA temp_store = MEMORY")
    // In KiB.
    try database.run("PRAGMA cache_size = -256")
    try database.run("PRAGMA synchronous = FULL")
    try database.run("PRAGMA secure_delete = ON")
    // In bytes, and in pages.
    try database.run("PRAGMA journal_size_limit = 1048576")
    try database.run("PRAGMA wal_autocheckpoint = 256")
    // Another process may be creating them: one transaction makes the checks consistent.
    if try database.transaction(.reading, { try exist(in: database, place) }) { return true }
    guard let key else { return false }
    try database.run("PRAGMA auto_vacuum = FULL")
    try database.useWriteAheadLog(busyTimeout: patience)
    try database.transaction(.writing) {
      // Another process may have been faster.
      if try !exist(in: database, place) { try make(in: database, key) }
    }
    return true
  }

  private static func exist(in database: Database, _ place: String) throws -> Bool {
    let application = try database.number("PRAGMA application_id")
    let version = try database.number("PRAGMA user_version")
    switch (application, version) {
    case (Self.application, Self.version): return true
    case (0, 0):
      guard try database.number("SELECT 1 FROM sqlite_schema LIMIT 1") != nil else { return false }
      throw ChappieThreadStoreError.damaged(place)
    case (Self.application, _):
      throw ChappieThreadStoreError.unreadable(
        en("Another version of this program stored the threads: use that version to read them."))
    default: throw ChappieThreadStoreError.damaged(place)
    }
  }

  private static func make(in database: Database, _ key: StoreKey) throws {
    try database.run("CREATE TABLE store (device TEXT NOT NULL) STRICT")
    try database.run(
      """
      CREATE TABLE threads (
        id TEXT PRIMARY KEY NOT NULL, title BLOB NOT NULL, title_number INTEGER NOT NULL, created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL, archived_at INTEGER, change_number INTEGER NOT NULL, turn_count INTEGER NOT NULL,
        bytes INTEGER NOT NULL
      ) STRICT
      """)
    try database.run(
      """
      CREATE TABLE turns (
        thread TEXT NOT NULL, sequence INTEGER NOT NULL, id TEXT NOT NULL, recorded_at INTEGER NOT NULL,
        content BLOB NOT NULL, UNIQUE (thread, sequence)
      ) STRICT
      """)
    try database.run("INSERT INTO store (device) VALUES (?)", .text(key.device))
    try database.run("PRAGMA application_id = 1130914160")
    try database.run("PRAGMA user_version = 1")
  }

  /// Checks that the database was created on this device.
  ///
  /// - Throws: ``ChappieThreadStoreError/unreadable(_:)`` for another device.
  func checkDevice(_ key: StoreKey) throws {
    var device: String?
    try database.forEach("SELECT device FROM store") { device = $0.text(0) }
    guard device == key.device else {
      throw ChappieThreadStoreError.unreadable(
        en(
          "The threads were stored on another device and can be read only there: delete all threads to start over here."
        )
      )
    }
  }

  // MARK: Threads

  /// The entries of all threads, in any order.
  func threads() throws -> [ThreadIndex.Entry] {
    // No size can exceed what the database holds, of which the rows' own bytes are less than half.
    let size = try database.size()
    let most = size + size
    var entries: [ThreadIndex.Entry] = []
    var damaged: [(place: Int, isTitled: Bool, turns: Count?, bytes: Count?)] = []
    try database.forEach(
      """
      SELECT id, title, title_number, created_at, updated_at, archived_at, change_number, turn_count, bytes FROM threads
      """
    ) { row in
      let id = row.text(0)
      let title = row.count(2).flatMap { seal.title(row.bytes(1), of: id, number: $0.value) }
      let (created, updated, archived) = (StoredTime(row.time(3)), StoredTime(row.time(4)), StoredTime(row.time(5)))
      let isArchived = !row.isNull(5)
      let (change, turns, bytes) = (row.count(6), row.count(7), row.count(8).flatMap { $0 > most ? nil : $0 })
      // Retention spares a thread whose time is unknown.
      let unknown = StoredTime(seconds: .now)
      let summary = ChappieThreadSummary(
        id: id, title: title ?? "", createdAtSeconds: (created ?? unknown).seconds.unixSeconds,
        updatedAtSeconds: (updated ?? unknown).seconds.unixSeconds,
        archivedAtSeconds: isArchived ? (archived ?? unknown).seconds.unixSeconds : nil,
        turnCount: turns?.value ?? 0, bytes: Int64(bytes?.value ?? 0), changeNumber: Int64(change?.value ?? 0),
        createdAtMicroseconds: (created ?? unknown).rest, updatedAtMicroseconds: (updated ?? unknown).rest)
      let isWhole =
        title != nil && created != nil && updated != nil && (archived != nil) == isArchived && change != nil
        && turns != nil && bytes != nil
      entries.append(ThreadIndex.Entry(summary: summary, state: isWhole ? .whole : .damaged))
      if !isWhole { damaged.append((entries.count - 1, title != nil, turns, bytes)) }
    }
    for (place, isTitled, turns, bytes) in damaged {
      let found = try measure(entries[place].summary)
      if turns == nil { entries[place].summary.turnCount = found.turns }
      if bytes == nil { entries[place].summary.bytes = found.bytes }
      if !isTitled, !found.isReadable { entries[place].state = .unreadable }
    }
    return entries
  }

  /// What the turns of a damaged thread tell: their number, the thread's size, and whether one of them is readable.
  private func measure(_ summary: ChappieThreadSummary) throws -> (turns: Int, bytes: Int64, isReadable: Bool) {
    var (turns, isReadable) = (0, false)
    var bytes = Count(clamping: Self.rowBytes + summary.title.utf8.count)
    try forEachTurn(of: summary.id) { _, place, content in
      if place?.isMark != true { turns += 1 }
      bytes += Count(clamping: Self.rowBytes + content.count)
      if !isReadable, let place { isReadable = seal.content(content, at: place) != nil }
    }
    return (turns, Int64(bytes.value), isReadable)
  }

  /// The ids of all threads, also of unreadable ones, without opening any.
  static func ids(_ database: Database) throws -> [String] {
    var ids: [String] = []
    try database.forEach("SELECT id FROM threads") { ids.append($0.text(0)) }
    return ids
  }

  /// Adds a thread.
  func insert(_ summary: ChappieThreadSummary) throws {
    try database.run(
      """
      INSERT INTO threads
        (id, title, title_number, created_at, updated_at, archived_at, change_number, turn_count, bytes)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .text(summary.id),
      .bytes(seal.seal(title: summary.title, of: summary.id, number: Int(summary.changeNumber))),
      .integer(summary.changeNumber),
      .time(summary.createdAtSeconds, summary.createdAtMicroseconds),
      .time(summary.updatedAtSeconds, summary.updatedAtMicroseconds),
      summary.archivedAtSeconds.map { .time($0) } ?? .null, .integer(summary.changeNumber),
      .integer(Int64(summary.turnCount)), .integer(summary.bytes))
  }

  /// Writes all columns of a thread that can change, except the title.
  func update(_ summary: ChappieThreadSummary) throws {
    try database.run(
      """
      UPDATE threads SET updated_at = ?, archived_at = ?, change_number = ?, turn_count = ?, bytes = ? WHERE id = ?
      """, .time(summary.updatedAtSeconds, summary.updatedAtMicroseconds),
      summary.archivedAtSeconds.map { .time($0) } ?? .null,
      .integer(summary.changeNumber), .integer(Int64(summary.turnCount)), .integer(summary.bytes), .text(summary.id))
  }

  /// Writes a new title.
  ///
  /// - Parameter number: the number of the change that sets the title.
  func setTitle(_ title: String, number: Int, of thread: String) throws {
    try database.run(
      "UPDATE threads SET title = ?, title_number = ? WHERE id = ?",
      .bytes(seal.seal(title: title, of: thread, number: number)), .integer(Int64(number)), .text(thread))
  }

  /// Deletes a thread with its turns.
  func delete(_ thread: String) throws {
    try database.run("DELETE FROM turns WHERE thread = ?", .text(thread))
    try database.run("DELETE FROM threads WHERE id = ?", .text(thread))
  }

  /// The most bytes of turns that one part of a deletion has, if it has more than one turn.
  private static let partSize: Count = 262_144

  /// Deletes the last turns of a thread, or the thread if there are none. A part needs little room on the disk.
  ///
  /// - Returns: whether something of the thread is left.
  func deletePart(of thread: String) throws -> Bool {
    var turns = 0
    var bytes: Count = 0
    try database.forEach(
      "SELECT length(content) FROM turns WHERE thread = ? ORDER BY sequence DESC LIMIT 64", .text(thread)
    ) { row in
      bytes += row.count(0) ?? 0
      if turns == 0 || bytes <= Self.partSize { turns += 1 }
    }
    guard turns > 0 else {
      try delete(thread)
      return false
    }
    try database.run(
      """
      DELETE FROM turns WHERE thread = ?1
        AND sequence IN (SELECT sequence FROM turns WHERE thread = ?1 ORDER BY sequence DESC LIMIT ?2)
      """, .text(thread), .integer(Int64(turns)))
    return true
  }

  // MARK: The clock

  /// What is known of this machine's clock.
  func clock() throws -> ClockWitness {
    var clock = ClockWitness()
    guard try database.number("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'clock'") != nil else {
      return clock
    }
    try database.forEach("SELECT server_time, plausible_since FROM clock") { row in
      clock = ClockWitness(
        serverTime: row.count(0).flatMap { Timestamp(Int64($0.value)) },
        plausibleSince: row.count(1).flatMap { Timestamp(Int64($0.value)) })
    }
    return clock
  }

  /// Keeps what is known of this machine's clock.
  func keep(_ clock: ClockWitness) throws {
    try database.run("CREATE TABLE IF NOT EXISTS clock (server_time INTEGER, plausible_since INTEGER) STRICT")
    try database.run("DELETE FROM clock")
    try database.run(
      "INSERT INTO clock (server_time, plausible_since) VALUES (?, ?)",
      clock.serverTime.map { .integer($0.unixSeconds) } ?? .null,
      clock.plausibleSince.map { .integer($0.unixSeconds) } ?? .null)
  }
}

extension DatabaseValue {
  fileprivate static func time(_ seconds: Int64, _ rest: Int32 = 0) -> DatabaseValue {
    .integer(StoredTime(seconds: Timestamp(clamping: seconds), rest: rest).microseconds)
  }
}

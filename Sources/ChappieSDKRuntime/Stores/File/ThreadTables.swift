import ChappieSDK
import GLibBridge
import Platform
import SQLite

/// The tables of the database, and all statements on them. FORMAT.md explains the columns.
enum ThreadTables {
  /// `Chap`, in ASCII.
  private static let application: Int64 = 0x4368_6170
  private static let version: Int64 = 1

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
    _ database: Database, makingFor key: StoreKey?, patience: Duration, _ directory: StorageDirectory
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
    if try database.transaction(.reading, { try exist(in: database, directory) }) { return true }
    guard let key else { return false }
    try database.run("PRAGMA auto_vacuum = FULL")
    try database.useWriteAheadLog(busyTimeout: patience)
    try database.transaction(.writing) {
      // Another process may have been faster.
      if try !exist(in: database, directory) { try make(in: database, key) }
    }
    return true
  }

  private static func exist(in database: Database, _ directory: StorageDirectory) throws -> Bool {
    let application = try database.number("PRAGMA application_id")
    let version = try database.number("PRAGMA user_version")
    switch (application, version) {
    case (Self.application, Self.version): return true
    case (0, 0):
      guard try database.number("SELECT 1 FROM sqlite_schema LIMIT 1") != nil else { return false }
      throw ChappieThreadStoreError.damaged(directory)
    case (Self.application, _):
      throw ChappieThreadStoreError.unreadable(
        "Another version of this program stored the threads: use that version to read them.")
    default: throw ChappieThreadStoreError.damaged(directory)
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
  static func checkDevice(_ key: StoreKey, _ database: Database) throws {
    var device: String?
    try database.forEach("SELECT device FROM store") { device = $0.text(0) }
    guard device == key.device else {
      throw ChappieThreadStoreError.unreadable(
        "The threads were stored on another device and can be read only there: delete all threads to start over here."
      )
    }
  }

  // MARK: Threads

  /// The entries of all threads, in any order.
  static func threads(_ database: Database, _ seal: ThreadSealer) throws -> [ThreadIndex.Entry] {
    var entries: [ThreadIndex.Entry] = []
    try database.forEach(
      """
      SELECT id, title, title_number, created_at, updated_at, archived_at, change_number, turn_count, bytes FROM threads
      """
    ) { row in
      let id = row.text(0)
      let title = seal.title(row.bytes(1), of: id, number: row.integer(2))
      let created = StoredTime(microseconds: row.integer(3))
      let updated = StoredTime(microseconds: row.integer(4))
      let summary = ChappieThreadSummary(
        id: id, title: title ?? "", createdAt: created.seconds, updatedAt: updated.seconds,
        archivedAt: row.optionalInteger(5).map { StoredTime(microseconds: $0).seconds },
        turnCount: Int(clamping: row.integer(7)), bytes: max(0, row.integer(8)), changeNumber: row.integer(6),
        createdAtMicroseconds: created.rest, updatedAtMicroseconds: updated.rest)
      entries.append(ThreadIndex.Entry(summary: summary, isReadable: title != nil))
    }
    for place in entries.indices where !entries[place].isReadable {
      let id = entries[place].summary.id
      var hasTurn = false
      try forEachTurn(of: id, database) { if !hasTurn { hasTurn = seal.turn($1, at: $0) != nil } }
      entries[place].isReadable = hasTurn
    }
    return entries
  }

  /// Adds a thread.
  static func insert(_ summary: ChappieThreadSummary, _ seal: ThreadSealer, _ database: Database) throws {
    try database.run(
      """
      INSERT INTO threads
        (id, title, title_number, created_at, updated_at, archived_at, change_number, turn_count, bytes)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .text(summary.id), .bytes(seal.seal(title: summary.title, of: summary.id, number: summary.changeNumber)),
      .integer(summary.changeNumber),
      .time(summary.createdAt, summary.createdAtMicroseconds), .time(summary.updatedAt, summary.updatedAtMicroseconds),
      summary.archivedAt.map { .time($0) } ?? .null, .integer(summary.changeNumber),
      .integer(Int64(summary.turnCount)), .integer(summary.bytes))
  }

  /// Writes all columns of a thread that can change, except the title.
  static func update(_ summary: ChappieThreadSummary, _ database: Database) throws {
    try database.run(
      """
      UPDATE threads SET updated_at = ?, archived_at = ?, change_number = ?, turn_count = ?, bytes = ? WHERE id = ?
      """, .time(summary.updatedAt, summary.updatedAtMicroseconds), summary.archivedAt.map { .time($0) } ?? .null,
      .integer(summary.changeNumber), .integer(Int64(summary.turnCount)), .integer(summary.bytes), .text(summary.id))
  }

  /// Writes a new title.
  ///
  /// - Parameter number: the number of the change that sets the title.
  static func setTitle(
    _ title: String, number: Int64, of thread: String, _ seal: ThreadSealer, _ database: Database
  ) throws {
    try database.run(
      "UPDATE threads SET title = ?, title_number = ? WHERE id = ?",
      .bytes(seal.seal(title: title, of: thread, number: number)), .integer(number), .text(thread))
  }

  /// Deletes a thread with its turns.
  static func delete(_ thread: String, _ database: Database) throws {
    try database.run("DELETE FROM turns WHERE thread = ?", .text(thread))
    try database.run("DELETE FROM threads WHERE id = ?", .text(thread))
  }

  /// The title of a thread; nil if it cannot be decrypted.
  static func title(of thread: String, _ seal: ThreadSealer, _ database: Database) throws -> String? {
    var title: String?
    try database.forEach("SELECT title, title_number FROM threads WHERE id = ?", .text(thread)) {
      title = seal.title($0.bytes(0), of: thread, number: $0.integer(1))
    }
    return title
  }

  // MARK: Turns

  /// Adds a turn after the last one, and returns the size of its encrypted content in bytes.
  static func append(
    _ turn: ChappieTurn, to thread: String, _ seal: ThreadSealer, _ database: Database
  ) throws -> Int {
    let last = try database.number("SELECT max(sequence) FROM turns WHERE thread = ?", .text(thread)) ?? 0
    let place = ThreadSealer.Place(
      thread: thread, sequence: last + 1, id: turn.id,
      recordedAt: StoredTime(seconds: turn.recordedAt, rest: turn.recordedAtMicroseconds))
    let content = try seal.seal(turn.events, at: place)
    try database.run(
      "INSERT INTO turns (thread, sequence, id, recorded_at, content) VALUES (?, ?, ?, ?, ?)", .text(thread),
      .integer(place.sequence), .text(place.id), .integer(place.recordedAt.microseconds), .bytes(content))
    return content.count
  }

  /// Calls `body` with each turn in order, still encrypted.
  static func forEachTurn(
    of thread: String, _ database: Database, _ body: (ThreadSealer.Place, _ content: [UInt8]) throws -> Void
  ) throws {
    try database.forEach(
      "SELECT sequence, id, recorded_at, content FROM turns WHERE thread = ? ORDER BY sequence", .text(thread)
    ) { row in
      let place = ThreadSealer.Place(
        thread: thread, sequence: row.integer(0), id: row.text(1),
        recordedAt: StoredTime(microseconds: row.integer(2)))
      try body(place, row.bytes(3))
    }
  }
}

extension DatabaseValue {
  fileprivate static func time(_ seconds: Int64, _ rest: Int32 = 0) -> DatabaseValue {
    .integer(StoredTime(seconds: seconds, rest: rest).microseconds)
  }
}

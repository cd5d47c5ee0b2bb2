import GLibBridge
import Platform
import SQLite
import SecretMemory

/// The database of a store, with an index of its threads in memory. The methods block.
struct ThreadDatabase {
  let files: DatabaseFiles
  /// The most that all threads may take, in bytes.
  let cap: Int64?
  private let patience: Duration

  private(set) var index = ThreadIndex()
  private var connection: Connection?
  /// How many unreadable threads the log was last told of.
  private var toldUnreadable = 0
  /// The access that is under way.
  var attempt = DiskAttempt()

  private final class Connection {
    let database: Database
    let files: DatabaseFiles
    let identity: DatabaseFiles.Identity
    /// SQLite's number for the state that the index was read from; nil before it was read.
    var indexed: Int64?

    /// False once SQLite has found something wrong with the files.
    var isSound = true

    init(_ database: Database, _ files: DatabaseFiles, _ identity: DatabaseFiles.Identity) {
      self.database = database
      self.files = files
      self.identity = identity
    }

    deinit {
      // Damaged files stay as they are, and so do other files that were put in their place.
      if isSound, (try? files.identity()) == identity { database.clearsUpAtEnd() }
    }
  }

  /// - Parameter patience: how long another connection's write is waited for.
  init(_ directory: StorageDirectory, cap: Int64?, patience: Duration) {
    files = DatabaseFiles(directory: directory)
    self.cap = cap
    self.patience = patience
  }

  /// Lets go of everything that was read.
  mutating func forget() {
    index = ThreadIndex()
    connection?.indexed = nil
  }

  // MARK: Using

  /// Runs `body` with the index as it is now. Where there is no database, that is empty.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func reading<Result>(
    _ key: StoreKey, _ body: (Database?, ThreadIndex) throws -> Result
  ) throws -> Result {
    try mappingErrors { state in
      guard let database = try state.opened() else {
        state.forget()
        return try body(nil, state.index)
      }
      return try database.transaction(.reading) {
        try state.refresh(database, key)
        return try body(database, state.index)
      }
    }
  }

  /// Runs `body`, which tells what it changed of the threads, while nobody else writes.
  ///
  /// - Parameter isNew: whether the database is made where there is none.
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func writing(
    _ key: StoreKey, makes isNew: Bool = false, _ body: (Database, ThreadIndex) throws -> [ThreadIndex.Change]
  ) throws {
    try mappingErrors { state in
      guard let database = try state.opened(makingFor: isNew ? key : nil) else { return state.forget() }
      let changes = try database.transaction(.writing) {
        try state.refresh(database, key)
        let changes = try body(database, state.index)
        // The caller may have been told that it failed, and ask again.
        guard state.attempt.settle() else { throw ChappieThreadStoreError.notInTime }
        return changes
      }
      state.index.apply(changes)
      if changes.contains(where: \.isRemoval) { state.clearLog(database) }
    }
  }

  /// Deleted pages are in the log until it is written anew. While somebody reads the log it stays, until the next time.
  private func clearLog(_ database: Database) {
    database.wait(atMost: .zero)
    try? database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    database.wait(atMost: patience)
  }

  /// Whether anything was ever stored.
  ///
  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)`` where that cannot be told.
  mutating func exists() throws -> Bool {
    try mappingErrors { state in try state.files.exist() }
  }

  /// Whether there are threads, readable or not.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func holdsThreads() throws -> Bool {
    try mappingErrors { state in
      try state.opened()?.number("SELECT 1 FROM threads LIMIT 1") != nil
    }
  }

  /// Removes what is stored, whether it can be read or not. The marks that keep the directory out of backups stay.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func removeAll() throws {
    try mappingErrors { state in
      do {
        // Another program that is writing comes to an end.
        try state.opened()?.transaction(.writing) {}
      } catch let error as DatabaseError where error.kind == .busy {
        throw error
      } catch {
        // A damaged database is removed all the same.
      }
      state.close()
      try state.files.remove()
    }
  }

  private mutating func mappingErrors<Result>(_ body: (inout ThreadDatabase) throws -> Result) throws -> Result {
    do {
      return try body(&self)
    } catch let error as DatabaseError {
      // The next access opens the files anew: somebody may have put good ones in their place.
      if error.kind != .busy, error.kind != .full {
        connection?.isSound = false
        close()
      }
      throw ChappieThreadStoreError(error, files.directory)
    } catch let error as FileError {
      close()
      throw ChappieThreadStoreError(error, files.directory)
    }
  }

  // MARK: Opening

  /// The connection; nil where there is no database.
  ///
  /// - Parameter key: makes a database where there is none, for this key and device; nil makes none.
  private mutating func opened(makingFor key: StoreKey? = nil) throws -> Database? {
    var identity = try files.identity()
    if let connection, connection.identity == identity { return connection.database }
    close()
    if identity == nil, key != nil {
      try files.make()
      identity = try files.identity()
    }
    guard identity != nil else { return nil }
    let database = try files.open(patience: patience)
    guard try ThreadTables.prepare(database, makingFor: key, patience: patience, files.directory) else { return nil }
    files.mark()
    // SQLite has made files by opening it.
    guard let identity = try files.identity() else { return nil }
    connection = Connection(database, files, identity)
    return database
  }

  private mutating func close() {
    forget()
    connection = nil
  }

  // MARK: The index

  /// Brings the index to what the transaction sees.
  private mutating func refresh(_ database: Database, _ key: StoreKey) throws {
    let changes = try database.changesOfOthers()
    guard connection?.indexed != changes else { return }
    forget()
    try ThreadTables.checkDevice(key, database)
    let threads = try ThreadTables.threads(database, ThreadSeal(key: key.secret))
    index.reserve(threads.count)
    for thread in threads { index.apply(.set(thread)) }
    connection?.indexed = changes
    let unreadable = threads.count { !$0.isReadable }
    defer { toldUnreadable = unreadable }
    if unreadable > toldUnreadable {
      Log.warning("Of the stored threads, \(unreadable) cannot be read on this device.")
    }
  }
}

extension ThreadIndex.Change {
  fileprivate var isRemoval: Bool {
    if case .removed = self { true } else { false }
  }
}

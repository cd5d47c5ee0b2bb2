// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SQLite

/// The database of a store, with an index of its threads in memory. Its methods block.
struct ThreadDatabase {
  /// Nil for a database in memory.
  let files: DatabaseFiles?
  /// The most that all threads may take, in bytes.
  let cap: Int64?
  private let patience: Duration

  private(set) var index = ThreadIndex()
  private var connection: Connection?
  /// The number of unreadable threads in the last log message.
  private var loggedUnreadable = 0
  /// The running access.
  var attempt = DiskAttempt()

  private final class Connection {
    let database: Database
    let files: DatabaseFiles?
    let identity: DatabaseFiles.Identity?
    /// SQLite's data version of the index in memory; nil before it was read.
    var indexed: Count?

    /// False after SQLite has found damage.
    var isSound = true

    init(_ database: Database, _ files: DatabaseFiles?, _ identity: DatabaseFiles.Identity?) {
      self.database = database
      self.files = files
      self.identity = identity
    }

    deinit {
      // Damaged files are not changed, and neither are files that replaced the open ones.
      if isSound, let files, (try? files.identity()) == identity { database.checkpointsOnClose() }
    }
  }

  /// - Parameters:
  ///   - directory: nil for a database in memory.
  ///   - cap: the most that all threads may take, in bytes; nil for no limit.
  ///   - patience: how long to wait for another connection that writes.
  init(_ directory: StorageDirectory?, cap: Int64?, patience: Duration) {
    files = directory.map { DatabaseFiles(directory: $0) }
    self.cap = cap
    self.patience = patience
  }

  /// Forgets the index.
  mutating func forget() {
    index = ThreadIndex()
    connection?.indexed = nil
  }

  // MARK: Using

  /// Runs `body` in a read transaction with the current index. Without a database the index is empty.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func reading<Result>(
    _ key: StoreKey, _ body: (ThreadTables?, ThreadIndex) throws -> Result
  ) throws -> Result {
    try mappingErrors { state in
      guard let database = try state.opened() else {
        state.forget()
        return try body(nil, state.index)
      }
      return try database.transaction(.reading) {
        try body(state.refreshed(database, key), state.index)
      }
    }
  }

  /// Runs `body` in a write transaction, and applies the changes that it returns to the index.
  ///
  /// - Parameter isNew: whether to create a missing database.
  /// - Returns: false without a database: `body` did not run.
  /// - Throws: ``ChappieThreadStoreError``.
  @discardableResult
  mutating func writing(
    _ key: StoreKey, makes isNew: Bool = false, _ body: (ThreadTables, ThreadIndex) throws -> [ThreadIndex.Change]
  ) throws -> Bool {
    try mappingErrors { state in
      guard let database = try state.opened(makingFor: isNew ? key : nil) else {
        state.forget()
        return false
      }
      let changes = try database.transaction(.writing) {
        let changes = try body(state.refreshed(database, key), state.index)
        // After a timeout the caller may try again, so this attempt must have no effect.
        guard state.attempt.settle() else { throw ChappieThreadStoreError.timedOut }
        return changes
      }
      for change in changes { state.index.apply(change) }
      if changes.contains(where: \.isRemoval) { state.clearLog() }
      return true
    }
  }

  /// Overwrites the log, which still has the deleted pages. If another connection reads the log, the next removal
  /// does it.
  func clearLog() {
    guard let database = connection?.database else { return }
    database.setBusyTimeout(.zero)
    try? database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    database.setBusyTimeout(patience)
  }

  /// Whether any file of the database exists; true in memory.
  ///
  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  mutating func exists() throws -> Bool {
    try mappingErrors { state in try state.files?.exist() ?? true }
  }

  /// Whether the database has threads, readable or not.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func holdsThreads() throws -> Bool {
    try mappingErrors { state in
      try state.opened()?.number("SELECT 1 FROM threads LIMIT 1") != nil
    }
  }

  /// Removes the database, readable or not. The files that exclude the directory from backups stay.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  mutating func removeAll() throws {
    try mappingErrors { state in
      do {
        // Waits for another program that writes.
        try state.opened()?.transaction(.writing) {}
      } catch let error as DatabaseError where error.kind == .busy {
        throw error
      } catch {
        // A damaged database is removed too.
      }
      state.close()
      try state.files?.remove()
    }
  }

  /// The ids of all threads. It needs no key, because it opens none.
  mutating func ids() throws -> [String] {
    try mappingErrors { state in try state.opened().map(ThreadTables.ids) ?? [] }
  }

  private mutating func mappingErrors<Result>(_ body: (inout ThreadDatabase) throws -> Result) throws -> Result {
    do {
      return try body(&self)
    } catch let error as DatabaseError {
      // The next access opens the files again: the user may have replaced them by a good copy. A database in memory
      // would be lost.
      if files != nil, error.kind != .busy, error.kind != .full {
        connection?.isSound = false
        close()
      }
      throw ChappieThreadStoreError(error, place)
    } catch let error as FileError {
      if files != nil { close() }
      throw ChappieThreadStoreError(error, place)
    }
  }

  /// The place of the threads, for errors.
  private var place: String { files?.directory.path ?? "memory" }

  // MARK: Opening

  /// Opens the database if it is not open.
  ///
  /// - Parameter key: creates a missing database for the device of this key; nil creates none.
  /// - Returns: nil if there is no database.
  private mutating func opened(makingFor key: StoreKey? = nil) throws -> Database? {
    guard let files else { return try openedInMemory(key) }
    var identity = try files.identity()
    if let connection, connection.identity == identity { return connection.database }
    close()
    if identity == nil, key != nil {
      try files.make()
      identity = try files.identity()
    }
    guard identity != nil else { return nil }
    let database = try files.open(patience: patience)
    guard try ThreadTables.prepare(database, makingFor: key, patience: patience, place) else { return nil }
    files.mark()
    // Opening made files, so the identity is read again.
    guard let identity = try files.identity() else { return nil }
    connection = Connection(database, files, identity)
    return database
  }

  private mutating func openedInMemory(_ key: StoreKey?) throws -> Database? {
    if let connection { return connection.database }
    let database = try Database(":memory:", busyTimeout: patience)
    guard try ThreadTables.prepare(database, makingFor: key, patience: patience, place) else { return nil }
    connection = Connection(database, nil, nil)
    return database
  }

  private mutating func close() {
    forget()
    connection = nil
  }

  // MARK: The index

  /// Reads the index again if another connection has changed the database.
  ///
  /// - Returns: the tables.
  private mutating func refreshed(_ database: Database, _ key: StoreKey) throws -> ThreadTables {
    let tables = ThreadTables(database: database, seal: ThreadSealer(key: key.secret))
    let changes = try database.dataVersion()
    guard connection?.indexed != changes else { return tables }
    forget()
    try tables.checkDevice(key)
    let threads = try tables.threads()
    index.reserve(threads.count)
    for thread in threads { index.apply(.set(thread)) }
    connection?.indexed = changes
    let unreadable = threads.count { !$0.isReadable }
    defer { loggedUnreadable = unreadable }
    if unreadable > loggedUnreadable {
      Log.warning("Of the stored threads, \(unreadable) cannot be read on this device.")
    }
    return tables
  }
}

extension ThreadIndex.Change {
  fileprivate var isRemoval: Bool {
    if case .removed = self { true } else { false }
  }
}

extension ChappieThreadStoreError {
  static let timedOut = Self.unavailable(en("The disk that holds the threads does not answer: check the disk."))

  static func damaged(_ place: String) -> Self {
    .unreadable(
      en(
        """
        The database of the threads in \(place) is damaged and was not changed: replace it by a good copy, or \
        delete all threads to start over.
        """))
  }

  init(_ error: DatabaseError, _ place: String) {
    switch error.kind {
    case .busy: self = .busy(en("Another program has been writing to the stored threads: try again."))
    case .full: self = .diskIsFull(place)
    case .damaged: self = .damaged(place)
    case .readOnly: self = .unavailable(en("The threads in \(place) cannot be written: \(error)."))
    case .cannotOpen, .other: self = .unavailable(en("The threads in \(place) cannot be used: \(error)."))
    }
  }

  init(_ error: FileError, _ place: String) {
    switch error {
    case .full: self = .diskIsFull(place)
    case .symbolicLink, .notRegular, .hardLink, .foreign:
      self = .unavailable(
        "The threads in \(place) cannot be used because of a file there that must be removed: \(error)."
      )
    default: self = .unavailable(en("The threads in \(place) cannot be used: \(error)."))
    }
  }

  private static func diskIsFull(_ place: String) -> Self {
    .full(en("The disk is full: make room in \(place), or delete all threads."))
  }
}

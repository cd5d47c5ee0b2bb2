import GLibBridge
import Platform
import SQLite

/// The files of a store's database, and how they come and go. FORMAT.md has their names.
///
/// While the database is open, its file and that of the shared memory are never opened otherwise: to close them would
/// let go of SQLite's locks.
struct DatabaseFiles: Sendable {
  static let database = "threads.db"
  static let log = database + "-wal"
  static let sharedMemory = database + "-shm"
  private static let journal = database + "-journal"
  /// A database that is being deleted.
  private static let deleted = database + ".deleted"
  private static let beside = [log, sharedMemory, journal]

  /// Tells the files of an open database from others that were put in their place.
  struct Identity: Equatable {
    fileprivate let files: [FileIdentity?]
  }

  let directory: StorageDirectory

  /// Whether there are any.
  ///
  /// - Throws: ``FileError`` where that cannot be told.
  func exist() throws -> Bool {
    try ([Self.database, Self.deleted] + Self.beside).contains { try directory.contains($0) }
  }

  /// The files that are there now.
  ///
  /// - Returns: nil where there is no database.
  /// - Throws: ``FileError`` for anything but a file of the user's own; ``ChappieThreadStoreError/unreadable(_:)`` for a
  ///   database that was emptied or removed.
  func identity() throws -> Identity? {
    // The log comes later than the database, and so is looked at first.
    let log = try directory.ownFile(Self.log)
    let database = try directory.ownFile(Self.database)
    let rest = try [Self.sharedMemory, Self.journal].map { try directory.ownFile($0) }
    // SQLite would take the database for a new one, and delete what the log has.
    if database?.size ?? 0 == 0, let log, log.size > 0 { throw ChappieThreadStoreError.damaged(directory) }
    return database.map { Identity(files: [$0.identity, log?.identity, rest[0]?.identity]) }
  }

  /// Opens the database.
  ///
  /// - Throws: ``FileError``, `DatabaseError`.
  func open(patience: Duration) throws -> Database {
    // SQLite is to follow no link, and a home may well be behind one.
    let path = directory.resolved.path(of: Self.database)
    let database = try Database(path, patience: patience)
    guard database.isReadOnly, try !directory.contains(Self.log) else { return database }
    // Without a log nobody is writing, and where nothing can be written none can be made for reading.
    return try Database(path, .immutable, patience: patience)
  }

  /// Makes the directory and an empty file for the database, where they are missing.
  ///
  /// - Throws: ``FileError``.
  func make() throws {
    try directory.make()
    try BackupExclusion.writeMarks(
      in: directory, content: "Conversations of Chappie, sealed with a key of this device: of no use elsewhere.")
    if try !directory.contains(Self.database) { try directory.makeFile(Self.database) }
  }

  /// Marks the files that SQLite has made as those to be left out of backups.
  func mark() {
    BackupExclusion.mark(Self.log, in: directory)
    BackupExclusion.markUnopened(Self.sharedMemory, in: directory)
  }

  /// Removes the files, also where they are damaged.
  ///
  /// - Throws: ``FileError``.
  func remove() throws {
    // The database goes first: a log that is left is then an error for everybody, and no part of a new database.
    if try directory.contains(Self.database) { try directory.rename(Self.database, to: Self.deleted) }
    for name in Self.beside + [Self.deleted] { try directory.remove(name) }
    try directory.synchronize()
  }
}

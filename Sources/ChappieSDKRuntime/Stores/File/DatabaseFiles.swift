// SPDX-License-Identifier: Apache-2.0
import Platform
import SQLite

/// The files of a store's database. FORMAT.md explains them.
///
/// While the database is open, nothing else in this process may open its file or that of its shared memory: closing
/// them would release SQLite's locks.
struct DatabaseFiles: Sendable {
  static let database = "threads.db"
  static let log = database + "-wal"
  static let sharedMemory = database + "-shm"
  private static let journal = database + "-journal"
  /// The name of a database during its deletion.
  private static let deleted = database + ".deleted"
  /// Takes up room on the disk until a deletion needs it.
  private static let reserve = "reserve"
  /// The least size of the reserve, in bytes.
  private static let leastReserve: Int64 = 1 << 20
  private static let companions = [log, sharedMemory, journal]

  /// Identifies the files of an open database, to detect files that replaced them.
  typealias Identity = [FileIdentity?]

  let directory: StorageDirectory

  /// Whether any of the files exists.
  ///
  /// - Throws: ``FileError``.
  func exist() throws -> Bool {
    try ([Self.database, Self.deleted] + Self.companions).contains { try directory.contains($0) }
  }

  /// Checks the files and identifies them.
  ///
  /// - Returns: nil if there is no database.
  /// - Throws: ``FileError`` for anything but a regular file of the user; ``ChappieThreadStoreError/unreadable(_:)`` if
  ///   the database was emptied or removed while its log is still there.
  func identity() throws -> Identity? {
    // SQLite makes the log after the database, so the log is checked first.
    let log = try directory.ownFile(Self.log)
    let database = try directory.ownFile(Self.database)
    let rest = try [Self.sharedMemory, Self.journal].map { try directory.ownFile($0) }
    // SQLite would treat the database as new, and delete the contents of the log.
    if database?.size ?? 0 == 0, let log, log.size > 0 { throw ChappieThreadStoreError.damaged(directory.path) }
    return database.map { [$0.identity, log?.identity, rest[0]?.identity] }
  }

  /// Opens the database.
  ///
  /// - Throws: ``FileError``, `DatabaseError`.
  func open(patience: Duration) throws -> Database {
    // SQLite must follow no link, but the path of the home directory may contain one.
    let path = directory.resolved.path(of: Self.database)
    let database = try Database(path, busyTimeout: patience)
    guard database.isReadOnly, try !directory.contains(Self.log) else { return database }
    // Without a log there is no writer. In a read-only directory SQLite cannot make the log that reading needs.
    return try Database(path, .immutable, busyTimeout: patience)
  }

  /// Creates the directory and an empty file for the database, if they are missing.
  ///
  /// - Throws: ``FileError``.
  func make() throws {
    try directory.make()
    try BackupExclusion.writeMarks(
      in: directory, content: "Conversations of Chappie, encrypted with a key of this device: unreadable elsewhere.")
    try keepReserve()
    if try !directory.contains(Self.database) { try directory.makeFile(Self.database) }
  }

  // MARK: The reserve

  /// Keeps room for a deletion.
  ///
  /// - Throws: ``FileError``, such as ``FileError/full``.
  func keepReserve(_ bytes: Int64 = 0) throws {
    let bytes = max(bytes, Self.leastReserve)
    let kept = try directory.ownFile(Self.reserve)
    if let kept, kept.size >= bytes { return }
    if kept == nil { try directory.makeFile(Self.reserve) }
    try directory.allocate(bytes, for: Self.reserve)
  }

  /// Gives the kept room back to the disk.
  ///
  /// - Returns: its size; nil if none is kept.
  /// - Throws: ``FileError``.
  func spendReserve() throws -> Int64? {
    let kept = try directory.ownFile(Self.reserve)
    try directory.remove(Self.reserve)
    return kept?.size
  }

  /// Excludes the files that SQLite made from backups.
  func mark() {
    BackupExclusion.mark(Self.log, in: directory)
    BackupExclusion.markUnopened(Self.sharedMemory, in: directory)
  }

  /// Removes the files, even if they are damaged.
  ///
  /// - Throws: ``FileError``.
  func remove() throws {
    // The database goes first. After a crash, a log without its database is an error, and never part of a new one.
    if try directory.contains(Self.database) { try directory.rename(Self.database, to: Self.deleted) }
    for name in Self.companions + [Self.deleted, Self.reserve] { try directory.remove(name) }
    try directory.synchronize()
  }
}

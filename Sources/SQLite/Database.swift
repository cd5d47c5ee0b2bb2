// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc
import Platform

/// A connection to an SQLite database, for one thread at a time.
///
/// Statements are string constants, and values are bound to them. Each statement is prepared once.
public final class Database {
  public enum Access: Sendable {
    /// An existing database, for reading and, when its permissions allow it, writing.
    case existing
    /// An existing database that nobody can change, such as one on a read-only file system. No lock is taken.
    case immutable
  }

  /// The kind of a transaction. Only one writing transaction runs at a time.
  public enum Transaction: Sendable {
    case reading
    case writing
  }

  private let connection: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens a database. No component of `path` may be a symbolic link.
  ///
  /// - Parameter busyTimeout: how long this thread waits for another connection's write.
  /// - Throws: ``DatabaseError``.
  public init(_ path: String, _ access: Access = .existing, busyTimeout: Duration) throws(DatabaseError) {
    var opened: OpaquePointer?
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
    errno = 0
    let code =
      switch access {
      case .existing: sqlite3_open_v2(path, &opened, common | SQLITE_OPEN_READWRITE, nil)
      case .immutable:
        sqlite3_open_v2(Self.immutableName(path), &opened, common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
      }
    guard code == SQLITE_OK, let opened else {
      let error = DatabaseError(code, systemError: Self.systemError(code))
      sqlite3_close_v2(opened)
      throw error
    }
    connection = opened
    setBusyTimeout(busyTimeout)
    // A hostile database file must not run triggers, views or functions of its own.
    for (option, value): (Int32, Int32) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ] { _ = chappie_sqlite_configure(opened, option, value) }
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(connection)
  }

  /// Sets how long this thread waits for another connection's write from now on.
  public func setBusyTimeout(_ timeout: Duration) {
    sqlite3_busy_timeout(connection, Int32(min(max(timeout / .milliseconds(1), 0), 1e9)))
  }

  /// Makes closing the last connection checkpoint the write-ahead log and delete it. By default all files stay
  /// unchanged, as they must when the database is damaged or its files were replaced.
  public func checkpointsOnClose() {
    _ = chappie_sqlite_configure(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
  }

  /// Whether the database is read-only.
  public var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

  // MARK: Statements

  /// Runs a statement and ignores its rows.
  ///
  /// - Parameter values: the values to bind, in order.
  /// - Throws: ``DatabaseError``.
  public func run(_ sql: StaticString, _ values: DatabaseValue...) throws {
    try statement(sql).run(values) { _ in }
  }

  /// Runs a statement and calls `body` with each row. `body` must not run the same statement.
  ///
  /// - Throws: ``DatabaseError``, and any error of `body`.
  public func forEach(
    _ sql: StaticString, _ values: DatabaseValue..., body: (borrowing DatabaseRow) throws -> Void
  ) throws {
    try statement(sql).run(values, body)
  }

  /// The integer in the first column of the only row; nil when there is no row or the column is null.
  ///
  /// - Throws: ``DatabaseError``.
  public func number(_ sql: StaticString, _ values: DatabaseValue...) throws -> Count? {
    var number: Count?
    try statement(sql).run(values) { number = $0.count(0) }
    return number
  }

  private func statement(_ sql: StaticString) throws(DatabaseError) -> Statement {
    let text = "\(sql)"
    if let known = statements[text] { return known }
    let new = try Statement(sql, connection)
    statements[text] = new
    return new
  }

  /// Switches the database to write-ahead logging, permanently. Readers and writers do not wait for each other then.
  ///
  /// - Parameter busyTimeout: how long to wait for other connections. SQLite's own busy timeout does not cover every
  ///   case here.
  /// - Throws: ``DatabaseError``.
  public func useWriteAheadLog(busyTimeout: Duration) throws {
    let end = ContinuousClock.now + busyTimeout
    while true {
      do {
        return try run("PRAGMA journal_mode = WAL")
      } catch let error as DatabaseError where error.kind == .busy && ContinuousClock.now < end {
        usleep(5_000)
      }
    }
  }

  // MARK: Transactions

  /// Runs `body` in a transaction: `body` reads a consistent snapshot, and its changes are made completely or not at
  /// all. The changes are on the disk when this returns. When `body` throws, the transaction is rolled back.
  ///
  /// - Throws: ``DatabaseError``, and any error of `body`.
  public func transaction<Result>(_ kind: Transaction, _ body: () throws -> Result) throws -> Result {
    switch kind {
    case .reading: try run("BEGIN")
    case .writing: try run("BEGIN IMMEDIATE")
    }
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // Unless SQLite has done so after an error.
      if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  /// SQLite's `data_version`: it changes when another connection has changed the database.
  ///
  /// - Throws: ``DatabaseError``.
  public func dataVersion() throws -> Count { try number("PRAGMA data_version") ?? 0 }

  /// The size of the database in bytes, with what its log adds.
  ///
  /// - Throws: ``DatabaseError``.
  public func size() throws -> Count {
    let (pages, bytes) = (try number("PRAGMA page_count") ?? 0, try number("PRAGMA page_size") ?? 0)
    return Count(clamping: min(pages.value, 1 << 32) * min(bytes.value, 1 << 16))
  }

  // MARK: Names

  /// The URI of an immutable database: SQLite then opens no other file and takes no lock.
  private static func immutableName(_ path: String) -> String {
    let plain = path.utf8.map { byte -> String in
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        "%" + String(byte, radix: 16, uppercase: true)
      default: String(decoding: [byte], as: UTF8.self)
      }
    }
    return "file:" + plain.joined() + "?immutable=1"
  }

  /// The `errno` of a failed system call; 0 when `code` does not come from a system call.
  static func systemError(_ code: Int32) -> Int32 {
    let number = errno
    return [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) ? number : 0
  }
}

/// An error of SQLite.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// Another connection was still writing at the end of the busy timeout.
    case busy
    /// The disk or the user's quota is full, or a file has reached its maximum size.
    case full
    /// The file is not a database, or it is corrupt.
    case damaged
    /// The database is read-only.
    case readOnly
    /// The file is missing or may not be opened.
    case cannotOpen
    case other
  }

  public let kind: Kind
  /// SQLite's extended result code.
  public let code: Int32
  private let systemError: Int32

  /// - Parameter systemError: the `errno` of the failed system call; 0 for none.
  init(_ code: Int32, systemError: Int32 = 0) {
    self.code = code
    self.systemError = systemError
    kind =
      switch (code & 0xFF, systemError) {
      case (SQLITE_FULL, _), (SQLITE_IOERR, ENOSPC), (SQLITE_IOERR, EDQUOT), (SQLITE_IOERR, EFBIG): .full
      case (SQLITE_BUSY, _), (SQLITE_LOCKED, _), (SQLITE_PROTOCOL, _): .busy
      case (SQLITE_CORRUPT, _), (SQLITE_NOTADB, _), (SQLITE_SCHEMA, _), (SQLITE_ERROR, _): .damaged
      case (SQLITE_READONLY, _): .readOnly
      case (SQLITE_CANTOPEN, _), (SQLITE_PERM, _), (SQLITE_AUTH, _): .cannotOpen
      default: .other
      }
  }

  /// The reason and SQLite's code. It contains nothing of the statement or its values.
  public var description: String {
    let reason = systemError == 0 ? sqlite3_errstr(code) : UnsafePointer(strerror(systemError))
    return (reason.map { String(cString: $0) } ?? "error") + " (\(code))"
  }
}

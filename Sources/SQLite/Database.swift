import CSQLite
import Glibc

/// A connection to an SQLite database, for one thread at a time.
///
/// Statements are constants of the program, and what they are about is bound to them. Each is prepared once.
public final class Database {
  public enum Access: Sendable {
    /// One that is there, to read and, where its file allows it, to write.
    case existing
    /// One that is there and that nobody can write to, such as on a disk that takes no changes.
    case immutable
  }

  /// The purpose of a transaction: only one at a time writes.
  public enum Transaction: Sendable {
    case reading
    case writing
  }

  private let connection: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Links are not followed: no part of `path` may be one.
  ///
  /// - Parameter patience: how long another connection's write is waited for, on this thread.
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
    // A hostile file must not make the connection do more than it is asked.
    for (option, value): (Int32, Int32) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ] { _ = chappie_sqlite_configure(opened, option, value) }
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(connection)
  }

  /// How long another connection's write is waited for from now on, on this thread.
  public func setBusyTimeout(_ timeout: Duration) {
    sqlite3_busy_timeout(connection, Int32(min(max(timeout / .milliseconds(1), 0), 1e9)))
  }

  /// Has the end of this connection, where it is the last one, bring what is in the log into the database and remove the
  /// log. Otherwise all files stay as they are: as they have to where they are damaged, or others in the place of those
  /// that were opened.
  public func checkpointsOnClose() {
    _ = chappie_sqlite_configure(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
  }

  /// Whether the file may not be written to.
  public var isReadOnly: Bool { sqlite3_db_readonly(connection, "main") == 1 }

  // MARK: Statements

  /// Runs a statement.
  ///
  /// - Throws: ``DatabaseError``.
  public func run(_ sql: StaticString, _ values: DatabaseValue...) throws {
    try statement(sql).run(values) { _ in }
  }

  /// Runs a statement, and `body` with each row that it finds. Two of one statement cannot be under way at once.
  ///
  /// - Throws: ``DatabaseError``, what `body` throws.
  public func forEach(
    _ sql: StaticString, _ values: DatabaseValue..., body: (borrowing DatabaseRow) throws -> Void
  ) throws {
    try statement(sql).run(values, body)
  }

  /// The number in the first column of the only row; nil where there is no row, or no number in it.
  ///
  /// - Throws: ``DatabaseError``.
  public func number(_ sql: StaticString, _ values: DatabaseValue...) throws -> Int64? {
    var number: Int64?
    try statement(sql).run(values) { number = $0.optionalInteger(0) }
    return number
  }

  private func statement(_ sql: StaticString) throws(DatabaseError) -> Statement {
    let text = "\(sql)"
    if let known = statements[text] { return known }
    let new = try Statement(sql, connection)
    statements[text] = new
    return new
  }

  /// Has changes go to a write-ahead log, for good: who reads and who writes do not wait for each other then.
  ///
  /// - Parameter patience: how long others are waited for, for which SQLite itself does not always wait here.
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

  /// Runs `body` so that everything it reads is of one moment, and either all of its changes are made or none. The
  /// changes are on the disk when this returns. When `body` throws, none is made.
  ///
  /// - Throws: ``DatabaseError``, what `body` throws.
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
      rollBack()
      throw error
    }
  }

  /// Some failures have undone it already.
  private func rollBack() {
    if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
  }

  /// A number that changes whenever another connection has changed the database.
  ///
  /// - Throws: ``DatabaseError``.
  public func dataVersion() throws -> Int64 { try number("PRAGMA data_version") ?? 0 }

  // MARK: Names

  /// A file that is taken as it is: no other file is made or read, and none is locked.
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

  /// The `errno` of the call that failed; 0 where no call of the operating system did.
  static func systemError(_ code: Int32) -> Int32 {
    let number = errno
    return [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) ? number : 0
  }
}

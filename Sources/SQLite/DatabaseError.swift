import CSQLite
import Glibc

/// Why a database did not do what it was asked.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// Another connection writes, and has not ended in time.
    case busy
    /// The disk or the user's share of it is full, or a file as long as it may get.
    case full
    /// The file holds no database, or one that was changed from outside.
    case damaged
    /// The file may not be written to.
    case readOnly
    /// The file is not there, or may not be opened.
    case cannotOpen
    case other
  }

  public let kind: Kind
  /// SQLite's extended result code.
  public let code: Int32
  private let systemError: Int32

  /// - Parameter systemError: the `errno` of the call that failed; 0 where none did.
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

  /// The reason and SQLite's code. Nothing of the statement or its values is in it.
  public var description: String {
    let reason = systemError == 0 ? sqlite3_errstr(code) : UnsafePointer(strerror(systemError))
    return (reason.map { String(cString: $0) } ?? "error") + " (\(code))"
  }
}

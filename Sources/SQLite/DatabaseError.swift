// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc

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

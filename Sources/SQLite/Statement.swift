// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc
import Platform

/// A value that is bound to a statement.
public enum DatabaseValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
}

/// A prepared statement. The connection that prepared it releases it before it closes.
final class Statement {
  private let statement: OpaquePointer
  private let connection: OpaquePointer

  /// Prepares a statement.
  ///
  /// - Throws: ``DatabaseError``.
  init(_ sql: StaticString, _ connection: OpaquePointer) throws(DatabaseError) {
    var statement: OpaquePointer?
    let code = sql.withUTF8Buffer { text in
      text.withMemoryRebound(to: CChar.self) { text in
        sqlite3_prepare_v3(
          connection, text.baseAddress, Int32(text.count), UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
      }
    }
    guard code == SQLITE_OK, let statement else { throw Self.error(code, connection) }
    self.statement = statement
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(statement)
  }

  /// Binds `values`, and calls `body` with each row.
  ///
  /// - Throws: ``DatabaseError``, and any error of `body`.
  func run(_ values: [DatabaseValue], _ body: (borrowing DatabaseRow) throws -> Void) throws {
    defer {
      sqlite3_reset(statement)
      // The bound values may be long, and SQLite would keep them.
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let code = bind(value, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw Self.error(code, connection) }
    }
    while true {
      // SQLite records `errno` for some errors only.
      errno = 0
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try body(DatabaseRow(statement))
      case SQLITE_DONE: return
      case let code: throw Self.error(code, connection)
      }
    }
  }

  private func bind(_ value: DatabaseValue, at place: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(statement, place)
    case .integer(let number): return sqlite3_bind_int64(statement, place, number)
    case .text(let text):
      var text = text
      return text.withUTF8 { text in
        text.withMemoryRebound(to: CChar.self) {
          chappie_sqlite_bind_text(statement, place, $0.baseAddress, UInt64($0.count))
        }
      }
    case .bytes(let bytes):
      return bytes.withUnsafeBytes { chappie_sqlite_bind_blob(statement, place, $0.baseAddress, UInt64($0.count)) }
    }
  }

  private static func error(_ code: Int32, _ connection: OpaquePointer) -> DatabaseError {
    let systemError = Database.systemError(code)
    let extended = sqlite3_extended_errcode(connection)
    return DatabaseError(extended & 0xFF == code & 0xFF ? extended : code, systemError: systemError)
  }
}

/// A row of a statement's result, valid during the call of the closure that receives it. Columns are counted from 0.
public struct DatabaseRow: ~Copyable {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) {
    self.statement = statement
  }

  /// The number in a column; nil for null, and for a number out of the range of a count.
  public func count(_ column: Int32) -> Count? { integer(column).flatMap { Count($0) } }

  /// The time in a column of Unix microseconds; nil for null, and for a time before 1970 or after 9999.
  public func time(_ column: Int32) -> (seconds: Timestamp, microseconds: Int32)? {
    guard let (seconds, rest) = integer(column)?.quotientAndRemainder(dividingBy: 1_000_000), rest >= 0 else {
      return nil
    }
    return Timestamp(seconds).map { ($0, Int32(rest)) }
  }

  /// Any integer in a column; nil for null.
  func integer(_ column: Int32) -> Int64? { isNull(column) ? nil : sqlite3_column_int64(statement, column) }

  /// The text in a column; empty for null. Invalid UTF-8 is replaced by U+FFFD.
  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(statement, column) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))), as: UTF8.self)
  }

  /// The blob in a column; empty for null.
  public func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}

// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Platform

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

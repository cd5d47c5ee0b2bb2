import CSQLite

/// A row of a statement's result, valid during the call of the closure that receives it. Columns are counted from 0.
public struct DatabaseRow: ~Copyable {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) {
    self.statement = statement
  }

  /// The integer in a column; 0 for null.
  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// The integer in a column; nil for null.
  public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

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

  private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}

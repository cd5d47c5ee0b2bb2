import CSQLite

/// A row of what a statement found, for as long as the closure runs that it was given to. Columns are counted from 0.
public struct DatabaseRow: ~Copyable {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) {
    self.statement = statement
  }

  /// 0 for what is no number.
  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// Empty for what is no text. Bytes that are no UTF-8 become U+FFFD.
  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(statement, column) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))), as: UTF8.self)
  }

  /// Empty for what has none.
  public func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}

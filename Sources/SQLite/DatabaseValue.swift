/// A value that is bound to a statement.
public enum DatabaseValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
}

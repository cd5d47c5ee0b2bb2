import CGLib

/// The process's standard output and error. What is written leaves at once; who cannot read it any more is no error.
public enum StandardStream: Int32, Sendable {
  /// `stdout`
  case output = 1
  /// `stderr`
  case error = 2

  /// Writes `text` as it is, without a newline of its own.
  public func write(_ text: String) {
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { CGLib.write(rawValue, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

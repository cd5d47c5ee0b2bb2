import CGLib

/// The process's standard input, and whether a person sits at it.
public enum StandardInput {
  public static var isTerminal: Bool { isatty(0) == 1 }

  /// Everything up to the end of input; nil when it is longer than `limit` bytes.
  public static func readAll(limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(0, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else { return nil }
    }
  }
}

extension StandardStream {
  public var isTerminal: Bool { isatty(rawValue) == 1 }
}

/// The name that a thread has by its first message.
enum ThreadTitle {
  /// The longest title, in characters.
  static let limit = 60

  /// The text on one line, cut behind a word where it is too long.
  static func make(of text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard line.count > limit else { return line }
    let head = line.prefix(limit)
    return (head.lastIndex(of: " ").map { head[..<$0] } ?? head.dropLast()) + "…"
  }
}

/// Makes the title of a thread from its first message.
enum ThreadTitle {
  /// The longest title, in characters.
  static let limit = 60
  /// The longest title in bytes, the same as the service's limit: a character may have any number of combining marks.
  static let byteLimit = 1024

  /// The text on one line without control characters. A text that is too long is cut after a word.
  static func make(of text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).map(printable).filter { !$0.isEmpty }.joined(separator: " ")
    guard line.count > limit || line.utf8.count > byteLimit else { return line }
    var head = String(line.prefix(limit))
    while head.utf8.count > byteLimit - ellipsis.utf8.count { head.unicodeScalars.removeLast() }
    return (head.lastIndex(of: " ").map { head[..<$0] } ?? head.dropLast()) + ellipsis
  }

  private static let ellipsis = "…"

  private static func printable(_ word: Substring) -> String {
    String(word.unicodeScalars.filter { $0.properties.generalCategory != .control })
  }
}

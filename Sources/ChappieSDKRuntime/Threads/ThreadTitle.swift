/// The name that a thread has by its first message.
enum ThreadTitle {
  /// The longest title, in characters.
  static let limit = 60
  /// The longest title in bytes, which is that of a title that is given to the service: a character may have any number
  /// of accents.
  static let byteLimit = 1024

  /// The text on one line without control characters, cut behind a word where it is too long.
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

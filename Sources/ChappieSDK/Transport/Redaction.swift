/// Makes text of a server fit to be shown and logged.
package enum Redaction {
  /// `text` on one line, at most 300 characters, with everything that could be a token taken out.
  package static func message(_ text: String) -> String {
    let words = text.split(whereSeparator: \.isWhitespace).map { isSuspicious($0) ? "[…]" : String($0) }
    let line = words.joined(separator: " ")
    return line.count > 300 ? line.prefix(299) + "…" : line
  }

  /// A word as long as a token, of the characters that tokens have. Prose and addresses are shorter or have others.
  private static func isSuspicious(_ word: Substring) -> Bool {
    var run = 0
    for byte in word.utf8 {
      let isTokenByte =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45
        || byte == 46 || byte == 95 || byte == 43 || byte == 47 || byte == 61
      run = isTokenByte ? run + 1 : 0
      if run >= 32 { return true }
    }
    return word.hasPrefix("eyJ") || word.hasPrefix("rt-") || word.hasPrefix("rt_") || word.hasPrefix("sk-")
  }
}

/// Makes text of a server fit to be shown and logged.
package enum Redaction {
  /// `text` on one line, at most 300 characters, with everything that could be a token or steer a terminal taken out.
  package static func message(_ text: String) -> String {
    let words = text.split(whereSeparator: isGap).map { isSuspicious($0) ? "[…]" : String($0) }
    let line = words.joined(separator: " ")
    return line.count > 300 ? line.prefix(299) + "…" : line
  }

  private static func isGap(_ character: Character) -> Bool {
    character.isWhitespace || character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// Whether a run of the characters that tokens have is as long as a token, or a part of the word starts as tokens
  /// do. Prose and addresses are shorter or have other characters.
  private static func isSuspicious(_ word: Substring) -> Bool {
    if word.utf8.split(whereSeparator: { !isTokenByte($0) }).contains(where: { $0.count >= 32 }) { return true }
    let parts = word.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }
    return parts.contains { part in tokenStarts.contains { part.hasPrefix($0) } }
  }

  private static let tokenStarts = ["eyJ", "rt-", "rt_", "sk-"]

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}

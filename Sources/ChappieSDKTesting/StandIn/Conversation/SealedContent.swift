import GLibBridge

/// What the backend hands out sealed and takes back as it was: `encrypted_content`.
///
/// The seal is a checksum, so that it holds in another run of the stand-in as well.
enum SealedContent {
  enum Kind: String {
    case reasoning
    case compaction
  }

  /// Seals a number that means something to the stand-in alone.
  static func seal(_ kind: Kind, _ number: Int) -> String {
    let text = "sealed.\(kind.rawValue).\(number).\(RandomText.hex(bytes: 16))"
    return "\(text).\(check(text))"
  }

  /// The number in a sealed content; nil when it was not made here or was changed.
  static func open(_ content: String, _ kind: Kind) -> Int? {
    let parts = content.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[1] == kind.rawValue, parts[4] == check(parts[..<4].joined(separator: ".")) else {
      return nil
    }
    return Int(parts[2])
  }

  private static func check(_ text: String) -> String {
    SHA256.digest(of: Array("chappie-sandbox \(text)".utf8)).prefix(8).map { String($0, radix: 16) }.joined()
  }
}

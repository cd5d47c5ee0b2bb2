import GLibBridge
import SecretMemory

/// The `encrypted_content` that the backend issues and later accepts only unchanged.
///
/// The stand-in uses a checksum in place of encryption, so that content stays valid after a restart.
enum EncryptedContent {
  enum Kind: String {
    case reasoning
    case compaction
  }

  /// Makes a content that holds a number for the stand-in.
  static func seal(_ kind: Kind, _ number: Int) -> String {
    let text = "sealed.\(kind.rawValue).\(number).\(RandomText.hex(bytes: 16))"
    return "\(text).\(check(text))"
  }

  /// The number in a content; nil if it was changed, or not made by the stand-in.
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

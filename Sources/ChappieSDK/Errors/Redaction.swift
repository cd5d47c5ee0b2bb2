// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory
import Synchronization

/// Redacts servers' texts for display and for the log. Every text and every name from a server passes through it,
/// except the model's answers.
package enum Redaction {
  /// The longest part of a text to examine, in bytes. Little of the rest would be shown.
  private static let sourceLimit = 1000
  private static let lengthLimit = 300
  /// The longest name to show, in bytes.
  package static let nameLimit = 128

  /// Returns `text` on one line of at most 300 characters. It removes parts of known tokens, words that could be
  /// tokens, terminal control characters, and characters that reorder text or hide in it.
  package static func message(_ text: String) -> String {
    var start = String(decoding: text.utf8.prefix(sourceLimit), as: UTF8.self)
    start.unicodeScalars.removeAll(where: \.isInvisible)
    let words = start.split(whereSeparator: isGap)
    let parts = TokenParts()
    let spread = parts.spread(over: words)
    let shown = words.indices.map { index in
      let word = words[index]
      return spread.contains(index) || looksLikeToken(word) || parts.areIn(word) ? "[…]" : String(word)
    }
    let line = shown.joined(separator: " ")
    return line.count > lengthLimit ? line.prefix(lengthLimit - 1) + "…" : line
  }

  /// A server's name for something, such as the id of an answer. Nil if it is empty, is longer than 128 bytes, contains
  /// characters other than letters, digits and `_ - . : |`, or could be a token or a part of one.
  package static func name(_ name: String) -> String? {
    guard (1...nameLimit).contains(name.utf8.count), name.utf8.allSatisfy(isNameByte), !startsLikeToken(name[...]),
      !holdsPartOfToken(name)
    else { return nil }
    // A long name is allowed only as a hexadecimal id after a prefix such as resp_…, because no token looks like that.
    let id = name.split(separator: "_", maxSplits: 1).last ?? name[...]
    guard name.utf8.count < longRun || id.utf8.allSatisfy(isHexadecimal) else { return nil }
    return name
  }

  /// A fact about the user from a token, such as an address. Nil if it is longer than `limit` bytes or contains
  /// terminal control characters.
  static func fact(_ text: String, limit: Int) -> String? {
    text.utf8.count <= limit && !text.contains(where: { isGap($0) && $0 != " " }) ? text : nil
  }

  /// Whether `text` contains a part of a known token.
  static func holdsPartOfToken(_ text: String) -> Bool {
    TokenParts().areIn(text[...])
  }

  private static func isGap(_ character: Character) -> Bool {
    character.isWhitespace || character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  // MARK: Token patterns

  /// The shortest suspicious run of token characters. Prose and addresses contain no run this long.
  private static let longRun = 32

  /// Whether the word contains a run of token characters as long as a token, a part with a token's prefix, or a random
  /// mix of letters and digits.
  private static func looksLikeToken(_ word: Substring) -> Bool {
    word.utf8.split(whereSeparator: { !isTokenByte($0) }).contains { $0.count >= longRun }
      || startsLikeToken(word)
      || word.utf8.split(whereSeparator: { !$0.isAlphanumeric }).contains(where: isRandom)
  }

  private static func startsLikeToken(_ word: Substring) -> Bool {
    let parts = word.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }
    return parts.contains { part in tokenStarts.contains { part.hasPrefix($0) } }
  }

  private static let tokenStarts = ["eyJ", "rt-", "rt_", "sk-"]

  private static func isRandom(_ run: Substring.UTF8View.SubSequence) -> Bool {
    let digits = run.count(where: \.isDigit)
    let capitals = run.count { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    let isMixed = digits > 0 && capitals > 0 && digits + capitals < run.count
    return run.count >= 12 && isMixed || run.count >= 20 && digits >= 4 && digits < run.count
  }

  // MARK: Characters

  static func isTokenByte(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "-._+/=~".utf8.contains(byte) }

  private static func isNameByte(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "-._:|".utf8.contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || byte == UInt8(ascii: "-")
  }
}

/// Finds parts of the tokens at hand in text.
private struct TokenParts {
  /// The shortest part that counts across words. A shorter part could match by chance.
  private static let shortestSpread = 2 * TokensAtHand.shortestPart

  private let tokens = TokensAtHand.all()

  /// Whether a run of token characters in `word` contains a part of a token.
  func areIn(_ word: Substring) -> Bool {
    guard !tokens.isEmpty else { return false }
    return word.utf8.split(whereSeparator: { !Redaction.isTokenByte($0) }).contains { run in
      let bytes = Array(run)
      return windows(of: bytes, TokensAtHand.shortestPart).contains { isPart(bytes[$0]) }
    }
  }

  /// The indices of words that together contain a part of a token, such as one cut into small pieces.
  func spread(over words: [Substring]) -> Set<Int> {
    guard !tokens.isEmpty else { return [] }
    var bytes: [UInt8] = []
    var owners: [Int] = []
    for (index, word) in words.enumerated() {
      for byte in word.utf8 where Redaction.isTokenByte(byte) {
        bytes.append(byte)
        owners.append(index)
      }
    }
    let found = windows(of: bytes, Self.shortestSpread).filter { isPart(bytes[$0]) }
    return found.reduce(into: []) { $0.formUnion(owners[$1]) }
  }

  private func windows(of bytes: [UInt8], _ length: Int) -> [Range<Int>] {
    bytes.count < length ? [] : (0...bytes.count - length).map { $0..<$0 + length }
  }

  private func isPart(_ bytes: ArraySlice<UInt8>) -> Bool {
    tokens.contains { $0.contains(bytes) }
  }
}

/// The tokens in this process's memory, so that redaction finds every part of one. It does not keep a token alive.
enum TokensAtHand {
  /// The shortest part of a token to redact, in bytes. A shorter one occurs in ordinary words and reveals next to
  /// nothing.
  static let shortestPart = 8

  /// The tokens by fingerprint. Each turn decodes the same token again, so one fingerprint may have several copies.
  private struct Known {
    var copies: [[UInt8]: [Weak<SecretBytes>]] = [:]
    /// The number of entries above which released tokens are removed.
    var bound = 64

    mutating func forgetWhatIsGone() {
      copies = copies.compactMapValues { copies in
        let alive = copies.filter { $0.value != nil }
        return alive.isEmpty ? nil : alive
      }
      bound = 2 * copies.count + 64
    }
  }

  private static let known = Mutex(Known())

  /// Registers `token` for as long as something else keeps it.
  static func note(_ token: SecretBytes) {
    let fingerprint = KeyDerivation.fingerprint(of: token)
    known.withLock { known in
      var copies = known.copies[fingerprint] ?? []
      copies.removeAll { $0.value == nil }
      known.copies[fingerprint] = copies + [Weak(token)]
      if known.copies.count > known.bound { known.forgetWhatIsGone() }
    }
  }

  /// Returns each token once, even if many turns hold a copy.
  static func all() -> [SecretBytes] {
    known.withLock { known in
      known.copies.values.compactMap { copies in
        // Each weak reference is read only once, because its object may be gone at the next read.
        for copy in copies { if let token = copy.value { return token } }
        return nil
      }
    }
  }
}

extension UInt8 {
  /// Whether this is a digit of ASCII.
  package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether this is a letter of ASCII, or a digit.
  package var isAlphanumeric: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
  }
}

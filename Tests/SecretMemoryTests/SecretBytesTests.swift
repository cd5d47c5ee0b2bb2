// SPDX-License-Identifier: Apache-2.0
import SecretMemory
import Testing

struct SecretBytesTests {
  @Test(arguments: [[], Array(UInt8.min...UInt8.max)]) func containsItsBytes(_ bytes: [UInt8]) {
    let secret = SecretBytes(bytes)
    #expect(secret.count == bytes.count)
    #expect(secret.withBytes { Array($0) } == bytes)
    let spanned = secret.withSpan { span in span.indices.map { span[$0] } }
    #expect(spanned == bytes)
    #expect(secret.isEqual(to: SecretBytes(bytes)))
  }

  @Test func isFilledFromPlainAndSecretParts() {
    let secret = SecretBytes(count: 8) { span in
      let behindPlain = span.write("ab".utf8, at: 0)
      #expect(behindPlain == 2)
      let behindSecret = span.write(SecretBytes("cdef".utf8), at: behindPlain)
      #expect(behindSecret == 6)
      #expect(span.write("gh".utf8, at: behindSecret) == 8)
    }
    #expect(secret.withBytes { Array($0) } == Array("abcdefgh".utf8))
  }

  @Test(arguments: ["Token", "tokeN", "toke", "tokens", "", "nekot"])
  func differsFromOtherBytes(_ other: String) {
    #expect(!SecretBytes("token".utf8).isEqual(to: SecretBytes(other.utf8)))
    #expect(!SecretBytes(other.utf8).isEqual(to: SecretBytes("token".utf8)))
  }

  /// All of Swift's implicit conversions to text, of the value itself and inside another value.
  @Test func cannotBePrinted() {
    struct Holder {
      let secret: SecretBytes
      let optional: SecretBytes?
    }
    let word = "tops3cret"
    let secret = SecretBytes(word.utf8)
    let holder = Holder(secret: secret, optional: secret)
    var dumped = ""
    dump(secret, to: &dumped)
    dump(holder, to: &dumped)
    let texts = [
      "\(secret)", String(describing: secret), String(reflecting: secret), "\(holder)", String(reflecting: holder),
      "\([secret])", "\(["key": secret])", dumped,
    ]
    for text in texts { #expect(!Self.reveals(word, text), "\(text)") }
  }

  /// Whether `text` contains `word`, or its bytes as Swift prints an array.
  private static func reveals(_ word: String, _ text: String) -> Bool {
    let numbers = word.utf8.prefix(4).map(String.init).joined(separator: ", ")
    return text.contains(word) || text.contains(numbers)
  }

  @Test(arguments: [0..<0, 0..<6, 2..<4, 5..<6, 6..<6])
  func copiesAPart(_ range: Range<Int>) {
    let whole = SecretBytes("abcdef".utf8)
    let part = whole.withSpan { SecretBytes(copying: $0, range) }
    #expect(part.isEqual(to: SecretBytes(Array("abcdef".utf8)[range])))
  }
}

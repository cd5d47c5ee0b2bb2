// SPDX-License-Identifier: Apache-2.0
import SecretMemory
import Testing

struct AEADTests {
  private let key = AEAD.randomKey()
  private let context = Array("context".utf8)
  private let secret = SecretBytes("what is sealed".utf8)

  private func open(_ sealed: [UInt8]) -> SecretBytes? {
    AEAD.open(sealed, key: key, context: context)
  }

  @Test(arguments: [0, 1, 15, 16, 17, 4096])
  func decryptsWhatItEncrypted(_ count: Int) throws {
    let secret = SecretBytes((0..<count).map { UInt8(truncatingIfNeeded: $0) })
    let opened = try #require(open(AEAD.seal(secret, key: key, context: context)))
    #expect(opened.isEqual(to: secret))
    let bare = AEAD.seal(secret, key: key, context: [])
    #expect(try #require(AEAD.open(bare, key: key, context: [])).isEqual(to: secret))
  }

  @Test func theResultDoesNotContainTheSecret() {
    let secret = SecretBytes(repeatElement(UInt8(ascii: "A"), count: 256))
    let sealed = AEAD.seal(secret, key: key, context: context)
    #expect(!sealed.indices.dropLast(4).contains { sealed[$0..<($0 + 4)].allSatisfy { $0 == UInt8(ascii: "A") } })
  }

  /// A repeated nonce would reveal the key stream.
  @Test func usesANewNonceEachTime() {
    let sealed = (0..<100).map { _ in AEAD.seal(secret, key: key, context: context) }
    #expect(Set(sealed).count == 100)
  }

  @Test(arguments: ["", "contex", "context ", "Context"])
  func needsTheSameContextAndKey(_ other: String) {
    let sealed = AEAD.seal(secret, key: key, context: context)
    #expect(AEAD.open(sealed, key: key, context: Array(other.utf8)) == nil)
    #expect(AEAD.open(sealed, key: AEAD.randomKey(), context: context) == nil)
  }

  @Test func detectsEachFlippedBitAndAnotherLength() {
    let sealed = AEAD.seal(secret, key: key, context: context)
    for index in sealed.indices {
      for bit in 0..<8 {
        var changed = sealed
        changed[index] ^= 1 << bit
        #expect(open(changed) == nil, "bit \(bit) of byte \(index)")
      }
      #expect(open(Array(sealed.prefix(index))) == nil, "\(index) bytes")
    }
    #expect(open(sealed + [0]) == nil)
  }
}

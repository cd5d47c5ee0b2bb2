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

  /// A repeated nonce would reveal the key stream.
  @Test func hidesTheSecretWithANewNonceEachTime() {
    let secret = SecretBytes(repeatElement(UInt8(ascii: "A"), count: 256))
    let sealed = (0..<100).map { _ in AEAD.seal(secret, key: key, context: context) }
    #expect(Set(sealed).count == 100)
    let first = sealed[0]
    #expect(!first.indices.dropLast(4).contains { first[$0..<($0 + 4)].allSatisfy { $0 == UInt8(ascii: "A") } })
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

/// The expected values are BLAKE2b of the purpose's length, the purpose and the material, computed with another
/// program. A change of any of them would make all stored credentials unreadable.
struct KeyDerivationTests {
  private let secret = SecretBytes((0..<32).map { UInt8($0) })
  private let material = Array("0123456789abcdef0123456789abcdef".utf8)

  private static func hex(_ secret: SecretBytes) -> String {
    secret.withBytes { $0.map { String(256 + Int($0), radix: 16).dropFirst() }.joined() }
  }

  @Test func derivesAStableKeyAndFingerprint() {
    let key = KeyDerivation.deriveKey(from: material, and: secret, purpose: "test key")
    #expect(Self.hex(key) == "474d1cef8c0839c09b5a6f83f04cfbaef21ac9937d596391de03cd2f6ab09f62")
    #expect(KeyDerivation.fingerprint(of: material, purpose: "test name") == "bef2af4838bea88d052517aff3535ed5")
    #expect(KeyDerivation.fingerprint(of: Array("material".utf8), purpose: "p", length: 16).count == 32)
  }

  @Test func dependsOnTheMaterialAndThePurpose() {
    let other = Array("0123456789abcdef0123456789abcdeF".utf8)
    let name = KeyDerivation.fingerprint(of: material, purpose: "name")
    #expect(name != KeyDerivation.fingerprint(of: other, purpose: "name"))
    #expect(name != KeyDerivation.fingerprint(of: [], purpose: "name"))
    let key = KeyDerivation.deriveKey(from: material, and: secret, purpose: "name")
    #expect(!key.isEqual(to: KeyDerivation.deriveKey(from: other, and: secret, purpose: "name")))
    #expect(!key.isEqual(to: KeyDerivation.deriveKey(from: material, and: AEAD.randomKey(), purpose: "name")))
    #expect(!key.isEqual(to: KeyDerivation.deriveKey(from: material, and: secret, purpose: "other")))
    // The name of a device must not reveal its key.
    let fingerprint = KeyDerivation.fingerprint(of: material, and: secret, purpose: "name")
    #expect(!Self.hex(key).hasPrefix(fingerprint))
    // The boundary between purpose and material matters as well.
    #expect(
      KeyDerivation.fingerprint(of: Array("bc".utf8), purpose: "a")
        != KeyDerivation.fingerprint(of: Array("c".utf8), purpose: "ab"))
  }

  /// An example of FIPS 180-2.
  @Test func computesADigestOfTheStandard() {
    #expect(
      Self.hex(SecretBytes(SHA256.digest(of: Array("abc".utf8))))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}

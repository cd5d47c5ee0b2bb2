// SPDX-License-Identifier: Apache-2.0
import SecretMemory
import Testing

/// The expected values are BLAKE2b of the purpose's length, the purpose and the material, computed with another
/// program. A change of any of them would make all stored credentials unreadable.
struct KeyDerivationTests {
  private let secret = SecretBytes((0..<32).map { UInt8($0) })
  private let material = Array("0123456789abcdef0123456789abcdef".utf8)

  private static func hex(_ secret: SecretBytes) -> String {
    secret.withBytes { $0.map { String(256 + Int($0), radix: 16).dropFirst() }.joined() }
  }

  @Test func derivesAStableKey() {
    let key = KeyDerivation.deriveKey(from: material, and: secret, purpose: "test key")
    #expect(Self.hex(key) == "474d1cef8c0839c09b5a6f83f04cfbaef21ac9937d596391de03cd2f6ab09f62")
    #expect(key.count == AEAD.keyLength)
  }

  @Test func derivesAStableFingerprint() {
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
    // The boundary between purpose and material matters as well.
    #expect(
      KeyDerivation.fingerprint(of: Array("bc".utf8), purpose: "a")
        != KeyDerivation.fingerprint(of: Array("c".utf8), purpose: "ab"))
  }

  /// The name of a device must not reveal its key.
  @Test func theFingerprintIsNotAPrefixOfTheKey() {
    let key = Self.hex(KeyDerivation.deriveKey(from: material, and: secret, purpose: "a"))
    #expect(!key.hasPrefix(KeyDerivation.fingerprint(of: material, and: secret, purpose: "a")))
  }

  /// An example of FIPS 180-2.
  @Test func computesADigestOfTheStandard() {
    #expect(
      Self.hex(SecretBytes(SHA256.digest(of: Array("abc".utf8))))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}

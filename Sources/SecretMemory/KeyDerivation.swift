// SPDX-License-Identifier: Apache-2.0
import CSodium

/// Derives keys and fingerprints with BLAKE2b, by libsodium.
///
/// Equal input gives equal output. Different purposes give unrelated output.
public enum KeyDerivation {
  /// A fingerprint that does not reveal `material`: `length` bytes, in hexadecimal. With a secret, a key of
  /// ``AEAD/keyLength`` bytes, nobody else can confirm a guess of the material.
  public static func fingerprint(
    of material: [UInt8], and secret: SecretBytes? = nil, purpose: String, length: Int = 16
  ) -> String {
    var bytes = [UInt8](repeating: 0, count: length)
    hash(material, secret, purpose: purpose, into: &bytes, length: length)
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Derives a key of ``AEAD/keyLength`` bytes from `secret`, a key of the same length, and from `material`, which may
  /// be public.
  public static func deriveKey(from material: [UInt8], and secret: SecretBytes, purpose: String) -> SecretBytes {
    SecretBytes(count: AEAD.keyLength) { hash(material, secret, purpose: purpose, into: $0, length: AEAD.keyLength) }
  }

  /// A fingerprint of `secret`, 16 bytes.
  public static func fingerprint(of secret: SecretBytes) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    secret.withPointer { _ = crypto_generichash(&bytes, bytes.count, $0, UInt64(secret.count), nil, 0) }
    return bytes
  }

  private static func hash(
    _ material: [UInt8], _ secret: SecretBytes?, purpose: String, into bytes: UnsafeMutablePointer<UInt8>, length: Int
  ) {
    let name = Array(purpose.utf8)
    // BLAKE2b accepts keys of 16 to 64 bytes only, so the purpose and its length precede the material instead.
    let input = [UInt8(truncatingIfNeeded: name.count)] + name + material
    func hash(_ key: UnsafePointer<UInt8>?, _ keyLength: Int) {
      crypto_generichash(bytes, length, input, UInt64(input.count), key, keyLength)
    }
    guard let secret else { return hash(nil, 0) }
    precondition(secret.count == AEAD.keyLength, "a key has \(AEAD.keyLength) bytes")
    secret.withPointer { hash($0, AEAD.keyLength) }
  }
}

/// SHA-256, by libsodium, which keeps no copy of what was digested.
public enum SHA256 {
  /// The digest of `bytes`, 32 bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }
}

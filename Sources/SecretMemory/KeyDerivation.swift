import CSodium

/// Keys and fingerprints, derived by libsodium's BLAKE2b.
public enum KeyDerivation {
  /// Derives a key from material that is secret or not, for one purpose.
  public static func deriveKey(from material: [UInt8], purpose: String) -> SecretBytes {
    SecretBytes(count: AEAD.keyLength) { hash(material, purpose: purpose, into: $0, length: AEAD.keyLength) }
  }

  /// A name for `material` that does not tell it: `length` bytes in hexadecimal.
  public static func fingerprint(of material: [UInt8], purpose: String, length: Int = 16) -> String {
    var bytes = [UInt8](repeating: 0, count: length)
    hash(material, purpose: purpose, into: &bytes, length: length)
    return hexadecimal(bytes)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Derives a key from `secret`, which a key of ``AEAD/keyLength`` bytes is, and from material that is none.
  public static func deriveKey(from material: [UInt8], and secret: SecretBytes, purpose: String) -> SecretBytes {
    SecretBytes(count: AEAD.keyLength) { hash(material, secret, purpose: purpose, into: $0, length: AEAD.keyLength) }
  }

  /// A name for `material` and `secret` together, which tells neither, also to those who guess the material.
  public static func fingerprint(of material: [UInt8], and secret: SecretBytes, purpose: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    hash(material, secret, purpose: purpose, into: &bytes, length: bytes.count)
    return hexadecimal(bytes)
  }

  /// A name for `secret` that does not tell it: 16 bytes, the same for the same secret.
  public static func fingerprint(of secret: SecretBytes) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    secret.withPointer { _ = crypto_generichash(&bytes, bytes.count, $0, UInt64(secret.count), nil, 0) }
    return bytes
  }

  private static func hash(_ material: [UInt8], purpose: String, into bytes: UnsafeMutablePointer<UInt8>, length: Int) {
    let input = named(material, purpose)
    crypto_generichash(bytes, length, input, UInt64(input.count), nil, 0)
  }

  private static func hash(
    _ material: [UInt8], _ secret: SecretBytes, purpose: String, into bytes: UnsafeMutablePointer<UInt8>, length: Int
  ) {
    precondition(secret.count == AEAD.keyLength, "a key has \(AEAD.keyLength) bytes")
    let input = named(material, purpose)
    secret.withPointer { _ = crypto_generichash(bytes, length, input, UInt64(input.count), $0, AEAD.keyLength) }
  }

  /// BLAKE2b takes keys of 16 to 64 bytes, so the purpose goes in front of the material, with its length.
  private static func named(_ material: [UInt8], _ purpose: String) -> [UInt8] {
    let purpose = Array(purpose.utf8)
    return [UInt8(truncatingIfNeeded: purpose.count)] + purpose + material
  }
}

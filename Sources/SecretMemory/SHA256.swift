import CSodium

/// SHA-256, by libsodium, which keeps no copy of what was digested.
public enum SHA256 {
  /// The digest of `bytes`, 32 bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }
}

// SPDX-License-Identifier: Apache-2.0
import CSodium

/// Authenticated encryption with associated data: XChaCha20-Poly1305, by libsodium. Each result is a random nonce
/// followed by the ciphertext.
public enum AEAD {
  /// The length of a key in bytes.
  public static let keyLength = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)

  private static let nonceLength = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  private static let tagLength = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

  /// Encrypts `secret` with a key of ``keyLength`` bytes. `context` is the associated data: it is not part of the
  /// result, and ``open(_:key:context:)`` needs the same one.
  public static func seal(_ secret: SecretBytes, key: SecretBytes, context: [UInt8]) -> [UInt8] {
    secret.withPointer { encrypt($0, secret.count, key, context) }
  }

  /// Decrypts a result of ``seal(_:key:context:)``; nil for another key, another context or modified bytes.
  public static func open(_ sealed: [UInt8], key: SecretBytes, context: [UInt8]) -> SecretBytes? {
    guard sealed.count >= overhead else { return nil }
    var isGenuine = false
    let secret = SecretBytes(count: sealed.count - overhead) {
      isGenuine = decrypt(sealed[...], into: $0, key, context)
    }
    return isGenuine ? secret : nil
  }

  /// Encrypts content that needs no guarded memory, such as text that is shown. ``openContent(_:key:context:)``
  /// decrypts it.
  public static func sealContent(_ content: [UInt8], key: SecretBytes, context: [UInt8]) -> [UInt8] {
    encrypt(content, content.count, key, context)
  }

  /// Decrypts a result of ``sealContent(_:key:context:)``; nil for another key, another context or modified bytes.
  public static func openContent(_ sealed: ArraySlice<UInt8>, key: SecretBytes, context: [UInt8]) -> [UInt8]? {
    guard sealed.count >= overhead else { return nil }
    var isGenuine = false
    let content = [UInt8](unsafeUninitializedCapacity: sealed.count - overhead) { content, filled in
      isGenuine = decrypt(sealed, into: content.baseAddress, key, context)
      filled = isGenuine ? content.count : 0
    }
    return isGenuine ? content : nil
  }

  private static func encrypt(
    _ plain: UnsafePointer<UInt8>, _ count: Int, _ key: SecretBytes, _ context: [UInt8]
  ) -> [UInt8] {
    precondition(key.count == keyLength, "a key has \(keyLength) bytes")
    var nonce = [UInt8](repeating: 0, count: nonceLength)
    randombytes_buf(&nonce, nonceLength)
    var ciphertext = [UInt8](repeating: 0, count: count + tagLength)
    key.withPointer { key in
      _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
        &ciphertext, nil, plain, UInt64(count), context, UInt64(context.count), nil, nonce, key)
    }
    return nonce + ciphertext
  }

  /// Whether `sealed`, of at least ``overhead`` bytes, was decrypted.
  private static func decrypt(
    _ sealed: ArraySlice<UInt8>, into plain: UnsafeMutablePointer<UInt8>?, _ key: SecretBytes, _ context: [UInt8]
  ) -> Bool {
    precondition(key.count == keyLength, "a key has \(keyLength) bytes")
    return sealed.withUnsafeBufferPointer { sealed in
      guard let nonce = sealed.baseAddress else { return false }
      return key.withPointer { key in
        crypto_aead_xchacha20poly1305_ietf_decrypt(
          plain, nil, nil, nonce + nonceLength, UInt64(sealed.count - nonceLength), context, UInt64(context.count),
          nonce, key) == 0
      }
    }
  }

  /// The number of bytes by which encryption lengthens the content.
  public static let overhead = nonceLength + tagLength

  /// A new random key.
  public static func randomKey() -> SecretBytes {
    SecretBytes(count: keyLength) { randombytes_buf($0, keyLength) }
  }
}

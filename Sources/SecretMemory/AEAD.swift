import CSodium

/// Authenticated encryption by libsodium: XChaCha20-Poly1305.
public enum AEAD {
  /// The length of a key in bytes.
  public static let keyLength = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)

  private static let nonceLength = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  private static let tagLength = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

  /// Encrypts `secret`. Whoever opens it must give the same `context`, which is not part of the result.
  public static func seal(_ secret: SecretBytes, key: SecretBytes, context: [UInt8]) -> [UInt8] {
    precondition(key.count == keyLength, "a key has \(keyLength) bytes")
    var nonce = [UInt8](repeating: 0, count: nonceLength)
    randombytes_buf(&nonce, nonceLength)
    var ciphertext = [UInt8](repeating: 0, count: secret.count + tagLength)
    secret.withPointer { plain in
      key.withPointer { key in
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
          &ciphertext, nil, plain, UInt64(secret.count), context, UInt64(context.count), nil, nonce, key)
      }
    }
    return nonce + ciphertext
  }

  /// Decrypts what ``seal(_:key:context:)`` made; nil for another key, another context or changed bytes.
  public static func open(_ sealed: [UInt8], key: SecretBytes, context: [UInt8]) -> SecretBytes? {
    precondition(key.count == keyLength, "a key has \(keyLength) bytes")
    guard sealed.count >= nonceLength + tagLength else { return nil }
    let nonce = Array(sealed[..<nonceLength])
    let ciphertext = Array(sealed[nonceLength...])
    var isGenuine = false
    let secret = SecretBytes(count: ciphertext.count - tagLength) { plain in
      key.withPointer { key in
        isGenuine =
          crypto_aead_xchacha20poly1305_ietf_decrypt(
            plain, nil, nil, ciphertext, UInt64(ciphertext.count), context, UInt64(context.count), nonce, key) == 0
      }
    }
    return isGenuine ? secret : nil
  }

  /// Encrypts what is kept from others and is no secret to guard in memory, such as text that is shown. It opens with
  /// ``openContent(_:key:context:)``.
  public static func sealContent(_ content: [UInt8], key: SecretBytes, context: [UInt8]) -> [UInt8] {
    precondition(key.count == keyLength, "a key has \(keyLength) bytes")
    var nonce = [UInt8](repeating: 0, count: nonceLength)
    randombytes_buf(&nonce, nonceLength)
    var ciphertext = [UInt8](repeating: 0, count: content.count + tagLength)
    key.withPointer { key in
      _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
        &ciphertext, nil, content, UInt64(content.count), context, UInt64(context.count), nil, nonce, key)
    }
    return nonce + ciphertext
  }

  /// Decrypts what ``sealContent(_:key:context:)`` made; nil for another key, another context or changed bytes.
  public static func openContent(_ sealed: ArraySlice<UInt8>, key: SecretBytes, context: [UInt8]) -> [UInt8]? {
    precondition(key.count == keyLength, "a key has \(keyLength) bytes")
    guard sealed.count >= overhead else { return nil }
    var isGenuine = false
    let content = sealed.withUnsafeBufferPointer { sealed in
      key.withPointer { key in
        [UInt8](unsafeUninitializedCapacity: sealed.count - overhead) { content, filled in
          guard let nonce = sealed.baseAddress else { return }
          isGenuine =
            crypto_aead_xchacha20poly1305_ietf_decrypt(
              content.baseAddress, nil, nil, nonce + nonceLength, UInt64(sealed.count - nonceLength), context,
              UInt64(context.count), nonce, key) == 0
          filled = isGenuine ? content.count : 0
        }
      }
    }
    return isGenuine ? content : nil
  }

  /// How much longer than the content the sealed bytes are.
  public static let overhead = nonceLength + tagLength

  /// A key that nobody else has.
  public static func randomKey() -> SecretBytes {
    SecretBytes(count: keyLength) { randombytes_buf($0, keyLength) }
  }
}

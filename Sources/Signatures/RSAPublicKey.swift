import CGnuTLS

/// A public RSA key, which verifies signatures, by GnuTLS.
///
/// This is the `RS256` of JSON Web Tokens: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
public struct RSAPublicKey: Sendable, Equatable {
  /// The modulus, the most significant byte first.
  public let modulus: [UInt8]
  /// The public exponent, the most significant byte first.
  public let exponent: [UInt8]

  /// The shortest modulus that ``verifies(_:of:)`` accepts, in bits: the one that RFC 7518 requires.
  public static let minimumBits: UInt32 = 2048

  // Larger numbers only cost time: nobody signs tokens with them.
  private static let longestModulus = 1024
  private static let longestExponent = 8

  /// Makes a key from the numbers `n` and `e` of a JSON Web Key, decoded.
  public init(modulus: [UInt8], exponent: [UInt8]) {
    self.modulus = modulus
    self.exponent = exponent
  }

  /// Whether `signature` is a signature of `message` by the owner of this key.
  ///
  /// It is false for everything that GnuTLS does not accept, such as numbers that are no key or a signature of another
  /// length, and for a key shorter than ``minimumBits``, longer than 8192 bits, or with an exponent of more than 64 bits.
  public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard modulus.count <= Self.longestModulus, exponent.count <= Self.longestExponent else { return false }
    var key: gnutls_pubkey_t?
    guard gnutls_pubkey_init(&key) == GNUTLS_E_SUCCESS, let key else { return false }
    defer { gnutls_pubkey_deinit(key) }
    let isRead = modulus.withDatum { modulus in
      exponent.withDatum { gnutls_pubkey_import_rsa_raw(key, &modulus, &$0) == GNUTLS_E_SUCCESS }
    }
    var bits: UInt32 = 0
    guard isRead, gnutls_pubkey_get_pk_algorithm(key, &bits) == Int32(GNUTLS_PK_RSA.rawValue), bits >= Self.minimumBits
    else { return false }
    return message.withDatum { message in
      signature.withDatum {
        gnutls_pubkey_verify_data2(key, GNUTLS_SIGN_RSA_SHA256, 0, &message, &$0) >= GNUTLS_E_SUCCESS
      }
    }
  }
}

extension [UInt8] {
  /// Lends the bytes to GnuTLS, which only reads them.
  func withDatum<Result>(_ body: (inout gnutls_datum_t) -> Result) -> Result {
    withUnsafeBufferPointer { bytes in
      var datum = gnutls_datum_t(data: UnsafeMutablePointer(mutating: bytes.baseAddress), size: UInt32(bytes.count))
      return body(&datum)
    }
  }

  /// Takes over bytes that GnuTLS has allocated.
  init(taking datum: gnutls_datum_t) {
    self.init(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    chappie_gnutls_free(datum.data)
  }
}

// SPDX-License-Identifier: Apache-2.0
import CGnuTLS
import Signatures

/// A private RSA key, which signs, by GnuTLS. It is for issuers that play one in tests.
public final class RSAPrivateKey {
  /// A failure of GnuTLS.
  public struct Failure: Error, CustomStringConvertible {
    /// GnuTLS's words for the failure.
    public let description: String

    init(_ code: Int32) {
      description = gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code) of GnuTLS"
    }
  }

  /// The key that verifies the signatures of this one.
  public let publicKey: RSAPublicKey
  private let key: gnutls_privkey_t

  /// Makes a new key of ``RSAPublicKey/minimumBits``, which takes a part of a second.
  ///
  /// - Throws: ``Failure``.
  public init() throws(Failure) {
    var made: gnutls_privkey_t?
    try Self.check(gnutls_privkey_init(&made))
    guard let made else { throw Failure(GNUTLS_E_MEMORY_ERROR) }
    do throws(Failure) {
      try Self.check(gnutls_privkey_generate(made, GNUTLS_PK_RSA, RSAPublicKey.minimumBits, 0))
      var (modulus, exponent) = (gnutls_datum_t(), gnutls_datum_t())
      try Self.check(
        gnutls_privkey_export_rsa_raw2(
          made, &modulus, &exponent, nil, nil, nil, nil, nil, nil, UInt32(GNUTLS_EXPORT_FLAG_NO_LZ.rawValue)))
      publicKey = RSAPublicKey(modulus: [UInt8](taking: modulus), exponent: [UInt8](taking: exponent))
    } catch {
      gnutls_privkey_deinit(made)
      throw error
    }
    key = made
  }

  deinit {
    gnutls_privkey_deinit(key)
  }

  /// Signs `message` as `RS256`.
  ///
  /// - Throws: ``Failure``.
  public func signature(of message: [UInt8]) throws(Failure) -> [UInt8] {
    var signature = gnutls_datum_t()
    try Self.check(message.withDatum { gnutls_privkey_sign_data2(key, GNUTLS_SIGN_RSA_SHA256, 0, &$0, &signature) })
    return [UInt8](taking: signature)
  }

  private static func check(_ code: Int32) throws(Failure) {
    guard code >= GNUTLS_E_SUCCESS else { throw Failure(code) }
  }
}

extension [UInt8] {
  /// Lends the bytes to GnuTLS, which only reads them.
  fileprivate func withDatum<Result>(_ body: (inout gnutls_datum_t) -> Result) -> Result {
    withUnsafeBufferPointer { bytes in
      var datum = gnutls_datum_t(data: UnsafeMutablePointer(mutating: bytes.baseAddress), size: UInt32(bytes.count))
      return body(&datum)
    }
  }

  /// Takes over bytes that GnuTLS has allocated.
  fileprivate init(taking datum: gnutls_datum_t) {
    self.init(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    chappie_gnutls_free(datum.data)
  }
}

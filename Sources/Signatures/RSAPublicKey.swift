// SPDX-License-Identifier: Apache-2.0
import CSignatures

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

  /// The outcome of a check.
  public enum Verdict: Sendable {
    case right
    /// Also for everything that GnuTLS does not accept, such as numbers that are no key or a signature of another
    /// length, and for a key shorter than ``minimumBits``, longer than 8192 bits, or with an exponent of more than 64
    /// bits.
    case wrong
    /// GnuTLS cannot be loaded.
    case unchecked
  }

  /// Whether `signature` is known to be a signature of `message` by the owner of this key.
  public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    verdict(on: signature, of: message) == .right
  }

  /// Checks whether `signature` is a signature of `message` by the owner of this key.
  public func verdict(on signature: [UInt8], of message: [UInt8]) -> Verdict {
    guard modulus.count <= Self.longestModulus, exponent.count <= Self.longestExponent else { return .wrong }
    let verdict = modulus.withBytes { modulus in
      exponent.withBytes { exponent in
        message.withBytes { message in
          signature.withBytes { chappie_verify_rs256(modulus, exponent, message, $0, Self.minimumBits) }
        }
      }
    }
    return switch verdict {
    case CHAPPIE_SIGNATURE_RIGHT: .right
    case CHAPPIE_SIGNATURE_WRONG: .wrong
    default: .unchecked
    }
  }
}

extension [UInt8] {
  /// Lends the bytes to C.
  fileprivate func withBytes<Result>(_ body: (chappie_bytes) -> Result) -> Result {
    withUnsafeBufferPointer { body(chappie_bytes(data: $0.baseAddress, count: $0.count)) }
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Signatures
import Signing

/// The keys that sign ID tokens. The newest one signs; older ones stay in the published set until they are forgotten.
@GLibActor
final class SigningKeys {
  /// A signature that a client must refuse.
  enum Fault: String, CaseIterable, Sendable {
    /// The signature of another key under the id of the published one.
    case wrong
    /// A signature of a key that is not published.
    case unpublished
    /// No signature: `alg` is `none`.
    case none
  }

  private struct Key {
    let id = RandomText.hex(bytes: 8)
    let key: RSAPrivateKey

    init() {
      guard let key = try? RSAPrivateKey() else { preconditionFailure("GnuTLS made no key") }
      self.key = key
    }
  }

  /// The first key of all issuers of this process: making one takes a part of a second, and most tests need none.
  private static let first = Key()

  /// The newest first.
  private var keys: [Key] = []

  /// Makes a new key, which signs from now on.
  ///
  /// - Parameter keepsOlder: whether the older keys stay published.
  func rotate(keepsOlder: Bool) {
    keys = [Key()] + (keepsOlder ? keys : [])
  }

  /// The published set (RFC 7517).
  var json: ChappieJSONValue {
    _ = newest
    return [
      "keys": .array(
        keys.map { key in
          [
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(key.id),
            "n": .string(Base64URL.encode(key.key.publicKey.modulus)),
            "e": .string(Base64URL.encode(key.key.publicKey.exponent)),
          ]
        })
    ]
  }

  /// Signs `claims`, the bytes of a JSON object, as a JSON Web Token.
  func token(_ claims: [UInt8], fault: Fault? = nil) -> String {
    let signer = fault == .wrong || fault == .unpublished ? Key() : newest
    let id = fault == .wrong ? newest.id : signer.id
    let header: ChappieJSONValue = ["alg": fault == Fault.none ? "none" : "RS256", "typ": "JWT", "kid": .string(id)]
    let content = Base64URL.encode(header.encoded) + "." + Base64URL.encode(claims)
    guard fault != Fault.none else { return content + "." }
    guard let signature = try? signer.key.signature(of: Array(content.utf8)) else {
      preconditionFailure("GnuTLS made no signature")
    }
    return content + "." + Base64URL.encode(signature)
  }

  /// The claims of a token that one of the keys signed; nil for any other text.
  func claims(of token: String) -> ChappieJSONValue? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let signature = Base64URL.decode(parts[2].utf8),
      let claims = Base64URL.decode(parts[1].utf8)
    else { return nil }
    let content = Array("\(parts[0]).\(parts[1])".utf8)
    guard keys.contains(where: { $0.key.publicKey.verifies(signature, of: content) }) else { return nil }
    return try? ChappieJSONValue(parsing: claims.span)
  }

  private var newest: Key {
    if let key = keys.first { return key }
    keys = [Self.first]
    return Self.first
  }
}

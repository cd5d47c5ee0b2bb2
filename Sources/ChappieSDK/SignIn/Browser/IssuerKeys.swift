import GLibBridge
import Signatures

/// The keys with which an issuer signs, from its JSON Web Key Set (RFC 7517).
struct IssuerKeys: Sendable {
  /// The most keys that are read.
  private static let limit = 32

  private let keys: [String: RSAPublicKey]

  /// Keys of other kinds, without an id or not for signatures are left out.
  init(_ document: ChappieJSONValue) {
    guard case .array(let elements) = document["keys"] else {
      keys = [:]
      return
    }
    let pairs = elements.prefix(Self.limit).compactMap { key -> (String, RSAPublicKey)? in
      guard key["kty"]?.stringValue == "RSA", let id = key["kid"]?.stringValue,
        ["sig", nil].contains(key["use"]?.stringValue), ["RS256", nil].contains(key["alg"]?.stringValue),
        let modulus = key["n"]?.stringValue.flatMap({ Base64URL.decode($0.utf8) }),
        let exponent = key["e"]?.stringValue.flatMap({ Base64URL.decode($0.utf8) })
      else { return nil }
      return (id, RSAPublicKey(modulus: modulus, exponent: exponent))
    }
    keys = Dictionary(pairs) { first, _ in first }
  }

  subscript(id: String) -> RSAPublicKey? { keys[id] }
}

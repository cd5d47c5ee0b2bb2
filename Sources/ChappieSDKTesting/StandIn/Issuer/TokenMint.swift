// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import SecretMemory
import Signatures
import Signing

/// Makes the JSON Web Tokens of one sign-in, with the claims of the live servers. Those of the browser name no account
/// and no plan.
@GLibActor
struct TokenMint {
  let signIn: TokenStore.SignIn
  /// The keys that sign ID tokens of the browser; nil for a sign-in with a code, whose clients check no signature.
  let keys: SigningKeys?
  let issuedAt: Int
  let expiresAt: Int

  /// - Parameters:
  ///   - nonce: the nonce of the authorization request; nil after a refresh.
  ///   - change: the member `id_token` of a rule.
  func idToken(nonce: String?, _ change: ChappieJSONValue?) -> String {
    var claims = claims(audience: signIn.clientID)
    claims["email"] = .string(signIn.user.email)
    claims["email_verified"] = true
    guard let keys else {
      claims["sub"] = .string(signIn.user.userID)
      claims["https://api.openai.com/auth"] = account
      return Self.token("JWT", claims)
    }
    claims["sub"] = .string(Self.subject(of: signIn.user, clientID: signIn.clientID))
    let name = signIn.user.email.prefix { $0 != "@" }
    claims["name"] = .string(name.prefix(1).uppercased() + name.dropFirst())
    claims["nonce"] = nonce.map { .string($0) }
    claims = claims.merging(change?["claims"]?.objectValue ?? [:]) { $1 }.filter { $0.value != .null }
    // The marker begins at the tenth byte, so that base64url always turns it into the same text.
    let head = "{\"jti\":\"0\(RandomText.marker)\(RandomText.hex(bytes: 8))\","
    let fault = change?["signature"]?.stringValue.flatMap(SigningKeys.Fault.init)
    return keys.token(Array(head.utf8) + ChappieJSONValue.object(claims).encoded.dropFirst(), fault: fault)
  }

  /// An access token. Only the backend reads it, and the stand-in knows the tokens that it has issued.
  func accessToken() -> String {
    var claims = claims(audience: signIn.resource)
    claims["client_id"] = .string(signIn.clientID)
    claims["jti"] = .string(RandomText.hex(bytes: 16))
    guard keys == nil else {
      claims["scope"] = .string(signIn.scopes.joined(separator: " "))
      claims["https://api.openai.com/auth"] = [
        "salt": .string(RandomText.hex(bytes: 8)), "metadata": .string(RandomText.hex(bytes: 24)),
      ]
      return Self.token("at+jwt", claims)
    }
    claims["sub"] = .string(signIn.user.userID)
    claims["https://api.openai.com/profile"] = ["email": .string(signIn.user.email)]
    claims["https://api.openai.com/auth"] = account
    return Self.token("JWT", claims)
  }

  /// The claim `sub` in the browser: it differs from application to application, because nobody says that it does not.
  nonisolated static func subject(of user: StandInUser, clientID: String) -> String {
    let digest = SHA256.digest(of: Array("\(clientID) \(user.userID)".utf8))
    return "user-" + Base64URL.encode(Array(digest.prefix(15)))
  }

  private func claims(audience: String) -> [String: ChappieJSONValue] {
    [
      "iss": .string(signIn.issuer), "aud": [.string(audience)], "iat": ChappieJSONValue(issuedAt),
      "exp": ChappieJSONValue(expiresAt),
    ]
  }

  private var account: ChappieJSONValue {
    let (user, userID) = (signIn.user, ChappieJSONValue.string(signIn.user.userID))
    var account: [String: ChappieJSONValue] = [
      "chatgpt_user_id": userID, "user_id": userID, "chatgpt_plan_type": .string(user.plan),
    ]
    if !user.accountID.isEmpty { account["chatgpt_account_id"] = .string(user.accountID) }
    return .object(account)
  }

  /// A well-formed token without a valid signature.
  private static func token(_ type: ChappieJSONValue, _ claims: [String: ChappieJSONValue]) -> String {
    let header: ChappieJSONValue = ["alg": "RS256", "typ": type, "kid": "sandbox"]
    let parts = [header, .object(claims)].map { Base64URL.encode($0.encoded) }
    return parts.joined(separator: ".") + "." + RandomText.secret()
  }
}

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

/// Makes identifiers and secrets for the stand-in.
enum RandomText {
  /// A text in every secret of the stand-in. Tests search files, logs and the bus for it to find leaks.
  static let marker = "SANDBOXSECRET"

  /// Makes `bytes` random bytes, in hexadecimal.
  static func hex(bytes: Int) -> String {
    String((0..<bytes * 2).compactMap { _ in "0123456789abcdef".randomElement() })
  }

  /// Makes a secret of base64url characters that holds the marker.
  static func secret() -> String {
    // 33 bytes make the whole text valid base64url, as the signature of a JWT must be.
    marker + "-" + Base64URL.encode((0..<33).map { _ in UInt8.random(in: 0...255) })
  }

  /// Makes a user code such as `ABCD-12345`, without letters that resemble digits.
  static func userCode() -> String {
    let letters = (0..<4).compactMap { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ".randomElement() }
    let digits = (0..<5).compactMap { _ in "0123456789".randomElement() }
    return String(letters) + "-" + String(digits)
  }
}

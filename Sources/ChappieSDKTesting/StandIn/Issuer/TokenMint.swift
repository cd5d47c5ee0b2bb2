// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import GLibBridge
import SecretMemory

/// A change of an ID token, so that a client must refuse it.
struct IDTokenChange: Sendable {
  /// The claims to replace; `null` removes one.
  var claims: [String: ChappieJSONValue] = [:]
  var fault: SigningKeys.Fault?
}

/// Makes the JSON Web Tokens of one sign-in, with the claims of the live servers. Those of the browser name no account
/// and no plan.
@GLibActor
struct TokenMint {
  let signIn: TokenStore.SignIn
  /// The keys that sign ID tokens of the browser; nil for a sign-in with a code, whose clients check no signature.
  let keys: SigningKeys?
  let issuedAt: Int
  let expiresAt: Int

  /// - Parameter nonce: the nonce of the authorization request; nil after a refresh.
  func idToken(nonce: String?, _ change: IDTokenChange?) -> String {
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
    claims = claims.merging(change?.claims ?? [:]) { $1 }.filter { $0.value != .null }
    // The marker begins at the tenth byte, so that base64url always turns it into the same text.
    let head = "{\"jti\":\"0\(RandomText.marker)\(RandomText.hex(bytes: 8))\","
    return keys.token(Array(head.utf8) + ChappieJSONValue.object(claims).encoded.dropFirst(), fault: change?.fault)
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

import FoundationEssentials
import GLibBridge

/// Makes the tokens of one sign-in. They are well-formed JWTs with the claims of the live ones, and signed by nobody.
struct TokenMint {
  let issuer: String
  let clientID: String
  let user: StandInUser
  let issuedAt: Int
  let expiresAt: Int

  init(issuer: String, clientID: String, user: StandInUser, lifetime: Duration) {
    self.issuer = issuer
    self.clientID = clientID
    self.user = user
    issuedAt = Int(Date().timeIntervalSince1970)
    expiresAt = issuedAt + Int(lifetime.components.seconds)
  }

  func idToken() -> String {
    Self.token([
      "iss": .string(issuer), "aud": [.string(clientID)], "sub": .string(user.userID), "iat": JSONValue(issuedAt),
      "exp": JSONValue(expiresAt), "email": .string(user.email), "email_verified": true,
      "https://api.openai.com/auth": account,
    ])
  }

  func accessToken() -> String {
    Self.token([
      "iss": .string(issuer), "aud": ["https://api.openai.com/v1"], "client_id": .string(clientID),
      "sub": .string(user.userID), "jti": .string(RandomText.hex(bytes: 16)), "iat": JSONValue(issuedAt),
      "exp": JSONValue(expiresAt), "https://api.openai.com/profile": ["email": .string(user.email)],
      "https://api.openai.com/auth": account,
    ])
  }

  static func refreshToken() -> String {
    "rt-" + RandomText.secret()
  }

  private var account: JSONValue {
    let id = JSONValue.Member(key: "chatgpt_account_id", value: .string(user.accountID))
    return .object(
      (user.accountID.isEmpty ? [] : [id]) + [
        .init(key: "chatgpt_user_id", value: .string(user.userID)), .init(key: "user_id", value: .string(user.userID)),
        .init(key: "chatgpt_plan_type", value: .string(user.plan)),
      ])
  }

  private static func token(_ claims: JSONValue) -> String {
    let header: JSONValue = ["alg": "RS256", "typ": "JWT", "kid": "sandbox"]
    return [header, claims].map { RandomText.base64URL($0.bytes) }.joined(separator: ".") + "." + RandomText.secret()
  }
}

import ChappieSDK
import GLibBridge

/// Makes the tokens of one sign-in: well-formed JWTs with the claims of the live server, but without a valid signature.
struct TokenMint {
  let issuer: String
  let clientID: String
  let user: StandInUser
  let issuedAt: Int
  let expiresAt: Int

  func idToken() -> String {
    Self.token([
      "iss": .string(issuer), "aud": [.string(clientID)], "sub": .string(user.userID),
      "iat": ChappieJSONValue(issuedAt),
      "exp": ChappieJSONValue(expiresAt), "email": .string(user.email), "email_verified": true,
      "https://api.openai.com/auth": account,
    ])
  }

  func accessToken() -> String {
    Self.token([
      "iss": .string(issuer), "aud": ["https://api.openai.com/v1"], "client_id": .string(clientID),
      "sub": .string(user.userID), "jti": .string(RandomText.hex(bytes: 16)), "iat": ChappieJSONValue(issuedAt),
      "exp": ChappieJSONValue(expiresAt), "https://api.openai.com/profile": ["email": .string(user.email)],
      "https://api.openai.com/auth": account,
    ])
  }

  static func refreshToken() -> String {
    "rt-" + RandomText.secret()
  }

  private var account: ChappieJSONValue {
    var account: [String: ChappieJSONValue] = [
      "chatgpt_user_id": .string(user.userID), "user_id": .string(user.userID), "chatgpt_plan_type": .string(user.plan),
    ]
    if !user.accountID.isEmpty { account["chatgpt_account_id"] = .string(user.accountID) }
    return .object(account)
  }

  private static func token(_ claims: ChappieJSONValue) -> String {
    let header: ChappieJSONValue = ["alg": "RS256", "typ": "JWT", "kid": "sandbox"]
    return [header, claims].map { RandomText.base64URL($0.encoded) }.joined(separator: ".") + "." + RandomText.secret()
  }
}

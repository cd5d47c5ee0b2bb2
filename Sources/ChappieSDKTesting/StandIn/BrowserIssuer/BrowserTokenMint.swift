import ChappieSDK
import FoundationEssentials
import GLibBridge

/// A change of an ID token, so that a client must refuse it.
struct IDTokenChange: Sendable {
  /// The claims to replace; `null` removes one.
  var claims: [String: ChappieJSONValue] = [:]
  var fault: SigningKeys.Fault?
}

/// Makes the tokens of a browser sign-in. They name no account and no plan.
@GLibActor
struct BrowserTokenMint {
  let signIn: BrowserTokens.SignIn
  let keys: SigningKeys
  let issuedAt: Int
  let expiresAt: Int

  /// An ID token with a valid signature.
  ///
  /// - Parameter nonce: the nonce of the authorization request; nil after a refresh.
  func idToken(nonce: String?, _ change: IDTokenChange?) -> String {
    var claims: [String: ChappieJSONValue] = [
      "iss": .string(signIn.issuer), "aud": [.string(signIn.clientID)], "sub": .string(signIn.subject),
      "iat": ChappieJSONValue(issuedAt), "exp": ChappieJSONValue(expiresAt), "email": .string(signIn.user.email),
      "email_verified": true, "name": .string(Self.name(signIn.user)),
    ]
    if let nonce { claims["nonce"] = .string(nonce) }
    claims = claims.merging(change?.claims ?? [:]) { $1 }.filter { $0.value != .null }
    // The marker begins at the tenth byte, so that base64url always turns it into the same text.
    let head = "{\"jti\":\"0\(RandomText.marker)\(RandomText.hex(bytes: 8))\","
    return keys.token(Array(head.utf8) + ChappieJSONValue.object(claims).encoded.dropFirst(), fault: change?.fault)
  }

  /// An access token. Only the backend reads it, and the stand-in knows the tokens that it has issued.
  func accessToken() -> String {
    let claims: ChappieJSONValue = [
      "iss": .string(signIn.issuer), "aud": [.string(signIn.resource)], "client_id": .string(signIn.clientID),
      "scope": .string(signIn.scopes.joined(separator: " ")), "jti": .string(RandomText.hex(bytes: 16)),
      "iat": ChappieJSONValue(issuedAt), "exp": ChappieJSONValue(expiresAt),
      "https://api.openai.com/auth": [
        "salt": .string(RandomText.hex(bytes: 8)), "metadata": .string(RandomText.hex(bytes: 24)),
      ],
    ]
    let header: ChappieJSONValue = ["alg": "RS256", "typ": "at+jwt", "kid": "sandbox"]
    return [header, claims].map { RandomText.base64URL($0.encoded) }.joined(separator: ".") + "." + RandomText.secret()
  }

  private static func name(_ user: StandInUser) -> String {
    user.email.prefix { $0 != "@" }.capitalized
  }
}

extension Substring {
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}

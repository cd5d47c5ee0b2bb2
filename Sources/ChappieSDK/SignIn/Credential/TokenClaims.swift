// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The payload of a JSON web token, without a look at its signature.
struct TokenClaims {
  private static let profileKey = "https://api.openai.com/profile"
  private static let authKey = "https://api.openai.com/auth"

  /// The longest mail address, in bytes.
  private static let addressLimit = 320
  private static let idLimit = 128

  /// The issuer's name of the user.
  let email: String?
  /// When the token expires.
  let expiresAt: Timestamp?
  /// Whether it names a time of expiry that is none.
  let hasDamagedExpiry: Bool
  let accountID: String?
  let userID: String?
  let plan: String?
  let isFedRAMP: Bool

  /// Returns nil when `token` is opaque: it has no three parts, or its middle part is no JSON object.
  init?(_ token: SecretBytes) {
    guard let payload = Self.payload(token),
      let bytes = Base64URL.decode(payload.prefix { $0 != UInt8(ascii: "=") }),
      let claims = try? ChappieJSONValue(parsing: bytes.span), case .object = claims
    else { return nil }
    let auth = claims[Self.authKey]
    let address = claims["email"]?.stringValue ?? claims[Self.profileKey]?["email"]?.stringValue
    email = address.flatMap { Redaction.fact($0, limit: Self.addressLimit) }
    expiresAt = claims["exp"]?.numberValue.flatMap { Timestamp($0.rounded(.up)) }
    hasDamagedExpiry = expiresAt == nil && claims["exp"] != nil
    accountID = auth?["chatgpt_account_id"]?.stringValue.flatMap { Redaction.fact($0, limit: Self.idLimit) }
    let user = auth?["chatgpt_user_id"]?.stringValue ?? auth?["user_id"]?.stringValue
    userID = user.flatMap { Redaction.fact($0, limit: Self.idLimit) }
    plan = auth?["chatgpt_plan_type"]?.stringValue.map(Redaction.message)
    isFedRAMP = auth?["chatgpt_account_is_fedramp"]?.boolValue ?? false
  }

  /// The middle part of the token. It identifies the user and is useless without the signature.
  private static func payload(_ token: SecretBytes) -> [UInt8]? {
    token.withBytes { bytes in
      let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      return parts.count == 3 && !parts[1].isEmpty ? Array(parts[1]) : nil
    }
  }
}

extension Credential {
  /// A refresh is due this many seconds before the token expires.
  static let renewalMargin: Int64 = 300
  /// A token of unknown expiry is due for refresh after this many seconds, which are eight days.
  private static let opaqueTokenLifetime: Int64 = 691_200

  /// What the claims of its tokens tell: of its owner in the ID token or, without one, in the access token; of its times
  /// in the access token. A time that is none counts as missing.
  var claimedFacts: CredentialFacts {
    let identity = idToken.flatMap(TokenClaims.init)
    let access = TokenClaims(accessToken)
    let owner = identity ?? access
    var headers: [(name: String, value: String)] = []
    if let accountID = owner?.accountID { headers.append(("chatgpt-account-id", accountID)) }
    if identity?.isFedRAMP == true { headers.append(("x-openai-fedramp", "true")) }
    return CredentialFacts(
      account: ChappieAccountInfo(
        email: owner?.email, userID: owner?.userID, accountID: owner?.accountID,
        plan: owner?.plan.map(ChappiePlan.init)),
      validity: access?.expiresAt.map { TokenValidity(expiresAt: $0, dueAt: $0 - Self.renewalMargin) }
        ?? TokenValidity(dueAt: renewedAt + Self.opaqueTokenLifetime + 1),
      requester: owner?.accountID, headers: headers)
  }
}

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
    guard let payload = token.withSpan(Self.payload),
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
  private static func payload(_ token: borrowing Span<UInt8>) -> [UInt8]? {
    var parts: [[UInt8]] = [[]]
    for index in token.indices {
      if token[index] == UInt8(ascii: ".") {
        parts.append([])
      } else if parts.count == 2 {
        parts[1].append(token[index])
      }
    }
    return parts.count == 3 && !parts[1].isEmpty ? parts[1] : nil
  }
}

import GLibBridge
import SecretMemory

/// What the payload of a JSON web token says. The signature is the server's business.
struct TokenClaims {
  private static let profileKey = "https://api.openai.com/profile"
  private static let authKey = "https://api.openai.com/auth"

  /// The longest address that mail knows, in bytes.
  private static let addressLimit = 320
  private static let idLimit = 128

  let email: String?
  /// When the token expires: Unix seconds.
  let expiresAt: Double?
  let accountID: String?
  let userID: String?
  let plan: String?
  let isFedRAMP: Bool

  /// Nil when `token` is opaque: no three parts, or no JSON object in the middle.
  init?(_ token: SecretBytes) {
    guard let payload = token.withSpan(Self.payload), let bytes = Self.decodeBase64URL(payload),
      let claims = try? ChappieJSONValue(parsing: bytes.span), case .object = claims
    else { return nil }
    let auth = claims[Self.authKey]
    let address = claims["email"]?.stringValue ?? claims[Self.profileKey]?["email"]?.stringValue
    email = address.flatMap { Redaction.fact($0, limit: Self.addressLimit) }
    expiresAt = claims["exp"]?.numberValue
    accountID = auth?["chatgpt_account_id"]?.stringValue.flatMap { Redaction.fact($0, limit: Self.idLimit) }
    let user = auth?["chatgpt_user_id"]?.stringValue ?? auth?["user_id"]?.stringValue
    userID = user.flatMap { Redaction.fact($0, limit: Self.idLimit) }
    plan = auth?["chatgpt_plan_type"]?.stringValue.map(Redaction.message)
    isFedRAMP = auth?["chatgpt_account_is_fedramp"]?.boolValue ?? false
  }

  /// The middle part of the token. It names the user and is of no use without its signature.
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

  private static func decodeBase64URL(_ text: [UInt8]) -> [UInt8]? {
    var base64 = text.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
    return Base64.decode(base64)
  }
}

extension Credential {
  /// Who the credential belongs to: the ID token says it, the access token where there is none.
  var accountInfo: ChappieAccountInfo {
    let claims = idToken.flatMap(TokenClaims.init) ?? TokenClaims(accessToken)
    return ChappieAccountInfo(
      email: claims?.email, userID: claims?.userID, accountID: claims?.accountID,
      plan: claims?.plan.map(ChappiePlan.init))
  }

  /// Whether the account must be asked for with the FedRAMP header.
  var isFedRAMP: Bool {
    idToken.flatMap(TokenClaims.init)?.isFedRAMP ?? false
  }

  /// Whether the access token should be renewed before it is used at `now` (Unix seconds).
  func isDue(at now: Int64) -> Bool {
    guard let expiresAt = TokenClaims(accessToken)?.expiresAt else {
      return now - renewedAt > Self.opaqueTokenLifetime
    }
    return expiresAt <= Double(now + Self.renewalMargin)
  }

  /// Whether the access token has expired at `now`, where it tells.
  func isExpired(at now: Int64) -> Bool {
    guard let expiresAt = TokenClaims(accessToken)?.expiresAt else { return false }
    return expiresAt <= Double(now)
  }

  /// A token is renewed this many seconds before it expires.
  static let renewalMargin: Int64 = 5 * 60
  /// A token that does not tell its expiry is renewed after this many seconds.
  static let opaqueTokenLifetime: Int64 = 8 * 24 * 60 * 60
}

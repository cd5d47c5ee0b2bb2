import GLibBridge
import SecretMemory

/// The payload of a JSON web token. The server checks the signature, this library does not.
struct TokenClaims {
  private static let profileKey = "https://api.openai.com/profile"
  private static let authKey = "https://api.openai.com/auth"

  /// The longest mail address, in bytes.
  private static let addressLimit = 320
  private static let idLimit = 128

  let email: String?
  /// When the token expires: Unix seconds.
  let expiresAt: Double?
  let accountID: String?
  let userID: String?
  let plan: String?
  let isFedRAMP: Bool

  /// Returns nil when `token` is opaque: it has no three parts, or its middle part is no JSON object.
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
  /// The owner of the credential, from the ID token or, without one, from the access token.
  var accountInfo: ChappieAccountInfo {
    let claims = idToken.flatMap(TokenClaims.init) ?? TokenClaims(accessToken)
    return ChappieAccountInfo(
      email: claims?.email, userID: claims?.userID, accountID: claims?.accountID,
      plan: claims?.plan.map(ChappiePlan.init))
  }

  /// Whether requests must carry the FedRAMP header.
  var isFedRAMP: Bool {
    idToken.flatMap(TokenClaims.init)?.isFedRAMP ?? false
  }

  /// Whether the access token needs a refresh before a use at `now` (Unix seconds).
  func isDue(at now: Int64) -> Bool {
    guard let expiresAt = TokenClaims(accessToken)?.expiresAt else {
      return now - renewedAt > Self.opaqueTokenLifetime
    }
    return expiresAt <= Double(now + Self.renewalMargin)
  }

  /// Whether the access token has expired at `now` (Unix seconds). False when its expiry is unknown.
  func isExpired(at now: Int64) -> Bool {
    guard let expiresAt = TokenClaims(accessToken)?.expiresAt else { return false }
    return expiresAt <= Double(now)
  }

  /// A refresh is due this many seconds before the token expires.
  static let renewalMargin: Int64 = 5 * 60
  /// A token of unknown expiry is due for refresh after this many seconds.
  static let opaqueTokenLifetime: Int64 = 8 * 24 * 60 * 60
}

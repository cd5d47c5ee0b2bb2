import FoundationEssentials
import SecretMemory

/// What the payload of a JSON web token says. The signature is the server's business.
struct TokenClaims: Decodable {
  var email: String?
  /// When the token expires: Unix seconds.
  var expiresAt: Double?
  var profile: Profile?
  var auth: Auth?

  struct Profile: Decodable {
    var email: String?
  }

  struct Auth: Decodable {
    var accountID: String?
    var chatGPTUserID: String?
    var userID: String?
    var plan: String?
    var isFedRAMP: Bool?

    enum CodingKeys: String, CodingKey {
      case accountID = "chatgpt_account_id"
      case chatGPTUserID = "chatgpt_user_id"
      case userID = "user_id"
      case plan = "chatgpt_plan_type"
      case isFedRAMP = "chatgpt_account_is_fedramp"
    }
  }

  enum CodingKeys: String, CodingKey {
    case email
    case expiresAt = "exp"
    case profile = "https://api.openai.com/profile"
    case auth = "https://api.openai.com/auth"
  }

  /// Nil when `token` is opaque: no three parts, or no JSON in the middle.
  init?(_ token: SecretBytes) {
    guard let payload = token.withSpan(Self.payload), let json = Self.decodeBase64URL(payload),
      let claims = try? JSONDecoder().decode(TokenClaims.self, from: json)
    else { return nil }
    self = claims
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

  private static func decodeBase64URL(_ text: [UInt8]) -> Data? {
    var base64 = text.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
    return Data(base64Encoded: Data(base64))
  }
}

extension Credential {
  /// Who the credential belongs to: the ID token says it, the access token where there is none.
  var accountInfo: ChappieAccountInfo {
    let claims = idToken.flatMap(TokenClaims.init) ?? TokenClaims(accessToken)
    return ChappieAccountInfo(
      email: claims?.email ?? claims?.profile?.email,
      userID: claims?.auth?.chatGPTUserID ?? claims?.auth?.userID,
      accountID: claims?.auth?.accountID,
      plan: claims?.auth?.plan.map(ChappiePlan.init))
  }

  /// Whether the account must be asked for with the FedRAMP header.
  var isFedRAMP: Bool {
    idToken.flatMap(TokenClaims.init)?.auth?.isFedRAMP ?? false
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

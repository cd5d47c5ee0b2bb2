// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import ChappieSDK

/// Tokens in the form of real ones, without a valid signature.
enum TestTokens {
  /// A JSON web token with `claims` as its payload.
  static func jwt(_ claims: String, padded: Bool = false) -> SecretBytes {
    SecretBytes("\(base64URL("{\"alg\":\"none\"}", padded)).\(base64URL(claims, padded)).c2lnbmF0dXJl".utf8)
  }

  /// An access token with the expiry `time`, in seconds since 1970, and the id `name`.
  static func access(_ name: String, expiresAt time: Int64 = UnixTime.now + 3600) -> SecretBytes {
    jwt("{\"exp\":\(time),\"jti\":\"\(name)\"}")
  }

  static func base64URL(_ text: String, _ padded: Bool = false) -> String {
    let base64 = Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    return padded ? base64 : base64.replacing("=", with: "")
  }
}

extension Credential {
  /// A credential named `name`. Its access token is valid for an hour by default.
  static func test(
    _ name: String, account: String = "account", expiresAt: Int64 = UnixTime.now + 3600,
    renewedAt: Timestamp = .now, canBeRenewed: Bool = true, servers: CredentialServers = .test, user: String? = nil
  ) -> Credential {
    let userID = user.map { ",\"chatgpt_user_id\":\"\($0)\"" } ?? ""
    return Credential(
      method: "device-code", servers: servers, accessToken: TestTokens.access(name, expiresAt: expiresAt),
      refreshToken: canBeRenewed ? SecretBytes("rt-\(name)".utf8) : nil,
      idToken: TestTokens.jwt("{\"https://api.openai.com/auth\":{\"chatgpt_account_id\":\"\(account)\"\(userID)}}"),
      renewedAt: renewedAt)
  }
}

extension CredentialServers {
  /// The servers of ``FakeSignIn``.
  static let test = CredentialServers(issuer: "https://issuer.example", backend: "https://backend.example")
}

extension AccessGrant {
  /// The access grant of ``Credential/test(_:account:expiresAt:renewedAt:canBeRenewed:servers:user:)``.
  /// Two of one name are alike, also when a second has passed between them.
  @GLibActor
  static func test(_ name: String) -> AccessGrant { AccessGrant(.test(name, expiresAt: 4_102_444_800)) }

  /// The name of the credential's access token; nil for an opaque token.
  var name: String? {
    let parts = accessToken.text.split(separator: ".")
    guard parts.count == 3 else { return nil }
    let payload = String(parts[1])
    let padding = String(repeating: "=", count: (4 - payload.count % 4) % 4)
    let base64 = payload.replacing("-", with: "+").replacing("_", with: "/") + padding
    return Data(base64Encoded: base64).flatMap { try? ChappieJSONValue(foundation: $0)["jti"]?.stringValue }
  }
}

extension SecretBytes {
  /// The secret as text. Only tests may read a secret in this way.
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

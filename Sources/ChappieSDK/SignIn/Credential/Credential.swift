import GLibBridge
import Platform
import SecretMemory

/// What a sign-in gave. The tokens stay in guarded memory and never leave this package.
package struct Credential: Sendable {
  /// Which sign-in method made it, and keeps it fresh.
  package var method: String
  /// Where it may be sent.
  package let servers: CredentialServers
  package var accessToken: SecretBytes
  package var refreshToken: SecretBytes?
  package var idToken: SecretBytes?
  /// When the tokens were last renewed: Unix seconds.
  package var renewedAt: Int64
  /// When the token endpoint last refused to renew it. After the first refusal it is kept as it is, after a second one
  /// for its identity alone, without a refresh token.
  package var refusedAt: BootTime?

  package init(
    method: String, servers: CredentialServers, accessToken: SecretBytes, refreshToken: SecretBytes?,
    idToken: SecretBytes?, renewedAt: Int64
  ) {
    self.method = method
    self.servers = servers
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.idToken = idToken
    self.renewedAt = renewedAt
    for token in [accessToken, refreshToken, idToken] { token.map(TokensAtHand.note) }
  }

  /// Whether a token of `other` is one of this credential's too: to revoke the one would end the other.
  func sharesToken(with other: Credential) -> Bool {
    if accessToken.isEqual(to: other.accessToken) { return true }
    guard let refreshToken, let otherToken = other.refreshToken else { return false }
    return refreshToken.isEqual(to: otherToken)
  }
}

/// The servers that a credential was made for. It is sent to no others, and other servers want another sign-in.
package struct CredentialServers: Sendable, Hashable {
  /// Gets the refresh token, and tokens to revoke.
  let issuer: String
  /// Gets the access token.
  let backend: String

  /// A name that does not tell them, fit to be on the disk in clear.
  var fingerprint: String {
    KeyDerivation.fingerprint(of: Array("\(issuer)\0\(backend)".utf8), purpose: "org.chappie servers")
  }
}

extension ChappieBackend {
  package var servers: CredentialServers { CredentialServers(issuer: issuer, backend: baseURL) }
}

import SecretMemory

/// The servers that a credential was made for. It is sent to no others, and other servers want another sign-in.
package struct CredentialServers: Sendable, Hashable {
  /// Gets the refresh token, and tokens to revoke.
  let issuer: String
  /// Gets the access token.
  let backend: String

  /// A name that does not tell them, fit to be on the disk in clear.
  var fingerprint: String {
    SealedBytes.fingerprint(of: Array("\(issuer)\0\(backend)".utf8), purpose: "org.chappie servers")
  }
}

extension ChappieBackend {
  package var servers: CredentialServers { CredentialServers(issuer: issuer, backend: baseURL) }
}

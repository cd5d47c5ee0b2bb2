// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The result of a sign-in. Its tokens stay in guarded memory and never leave this package.
package struct Credential: Sendable {
  /// The identifier of the sign-in method that made the credential and refreshes it.
  package var method: String
  /// The only servers that may receive the credential.
  package let servers: CredentialServers
  package var accessToken: SecretBytes
  package var refreshToken: SecretBytes?
  package var idToken: SecretBytes?
  /// The time of the last refresh, by the issuer's clock as far as it is known.
  package var renewedAt: Timestamp
  /// The last time that the issuer had told by then.
  package var issuerReading: IssuerReading?
  /// The time of the token endpoint's last refusal. The first refusal keeps the whole credential. The second removes
  /// the refresh token and keeps the account's identity.
  package var refusedAt: BootTime?
  /// The reason of that refusal. Nil if it is not known, as in a credential of an older version.
  package var refusal: ChappieAuthError?
  /// What the issuer has registered and granted. Nil for a method without registrations.
  var registration: RegisteredGrant?
  /// When the refresh token was sent to a server that takes it once. Nil before. A stored credential with it has lost
  /// its successor, and its refresh token is not sent again.
  package var redeemedAt: Timestamp?

  package init(
    method: String, servers: CredentialServers, accessToken: SecretBytes, refreshToken: SecretBytes?,
    idToken: SecretBytes?, renewedAt: Timestamp, issuerReading: IssuerReading? = nil
  ) {
    self.method = method
    self.servers = servers
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.idToken = idToken
    self.renewedAt = renewedAt
    self.issuerReading = issuerReading
    for token in [accessToken, refreshToken, idToken] { token.map(TokensAtHand.note) }
  }

  /// The reason of the refusal, as far as it is known.
  var reasonForRefusal: ChappieAuthError {
    refusal ?? (redeemedAt == nil ? .ended("the sign-in server has refused to renew it") : .renewalLost)
  }

  /// Whether the two credentials share a token. Revoking one of them would then end the other.
  func sharesToken(with other: Credential) -> Bool {
    if accessToken.isEqual(to: other.accessToken) { return true }
    guard let refreshToken, let otherToken = other.refreshToken else { return false }
    return refreshToken.isEqual(to: otherToken)
  }
}

/// The grant of an issuer that has registered the application for this user.
struct RegisteredGrant: Sendable, Equatable {
  /// The client id that was issued.
  let clientID: String
  /// The issuer's name of the user for this client.
  var subject: String
  var scopes: [String]
  /// The expiry of the access token, by the issuer's clock.
  var expiresAt: Timestamp
  /// The time before which the server refuses a refresh, by its clock. Nil when it names none.
  var earliestRefresh: Timestamp?
}

/// The servers that a credential was made for. No other server receives it, and other servers need another sign-in.
package struct CredentialServers: Sendable, Hashable {
  /// Receives the refresh token and the tokens to revoke.
  let issuer: String
  /// Receives the access token.
  let backend: String

  /// A name that hides the addresses, so the disk may hold it in clear.
  var fingerprint: String {
    KeyDerivation.fingerprint(of: Array("\(issuer)\0\(backend)".utf8), purpose: "org.chappie servers")
  }
}

extension ChappieBackend {
  /// The servers of sign-ins with a code.
  package var servers: CredentialServers { CredentialServers(issuer: issuer, backend: baseURL) }
  /// The servers of sign-ins in the browser.
  package var browserServers: CredentialServers { CredentialServers(issuer: issuer, backend: apiURL) }
}

/// What a credential tells of its owner, its rights and its times.
struct CredentialFacts: Sendable {
  var account: ChappieAccountInfo
  /// Whether the credential allows the use of the plan.
  var planUse = ChappiePlanUse.unknown
  var validity: TokenValidity
  /// The account that requests belong to. Nil if the tokens name none.
  var requester: String?
  /// The headers that identify the account to the backend.
  var headers: [(name: String, value: String)] = []
}

/// The times that rule the refresh of a credential, by the issuer's clock.
struct TokenValidity: Sendable {
  /// When the access token expires. Nil when it does not tell.
  var expiresAt: Timestamp?
  /// From when on a use of the access token is preceded by a refresh.
  var dueAt: Timestamp
  /// From when on an unused sign-in is renewed too, so that it does not end. Nil when it does not end by itself.
  var keepAliveAt: Timestamp?
  /// Before this time the server must not be asked for a refresh. Nil when it names none.
  var earliestRefresh: Timestamp?

  func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

import SecretMemory

/// What a request to the backend needs of a credential: the access token, and the facts that go with it. What renews the
/// sign-in is no part of it, so that a turn of an hour keeps no refresh token in memory.
struct AccessGrant: Sendable {
  let accessToken: SecretBytes
  let accountID: String?
  /// Whether the account must be asked for with the FedRAMP header.
  let isFedRAMP: Bool

  init(_ credential: Credential) {
    accessToken = credential.accessToken
    accountID = credential.accountInfo.accountID
    isFedRAMP = credential.isFedRAMP
  }
}

/// Tells one credential from another without holding a token.
struct CredentialMark: Equatable {
  private let fingerprint: [UInt8]

  init(_ grant: AccessGrant) {
    fingerprint = KeyDerivation.fingerprint(of: grant.accessToken)
  }
}

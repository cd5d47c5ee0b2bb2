import SecretMemory

/// The part of a credential that a request to the backend needs: the access token and the facts about its account. It
/// holds no refresh token, so an hour-long turn keeps none in memory.
struct AccessGrant: Sendable {
  let accessToken: SecretBytes
  let accountID: String?
  /// Whether requests must carry the FedRAMP header.
  let isFedRAMP: Bool

  init(_ credential: Credential) {
    accessToken = credential.accessToken
    accountID = credential.accountInfo.accountID
    isFedRAMP = credential.isFedRAMP
  }
}

/// Distinguishes credentials without holding a token.
struct CredentialMark: Equatable {
  private let fingerprint: [UInt8]

  init(_ grant: AccessGrant) {
    fingerprint = KeyDerivation.fingerprint(of: grant.accessToken)
  }
}

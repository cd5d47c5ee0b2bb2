import SecretMemory

/// Tells one credential from another without holding a token.
struct CredentialMark: Equatable {
  private let fingerprint: [UInt8]

  init(_ grant: AccessGrant) {
    fingerprint = SealedBytes.fingerprint(of: grant.accessToken)
  }
}

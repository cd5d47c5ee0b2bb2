import SecretMemory

/// Tells one credential from another without holding a token.
struct CredentialMark: Equatable {
  private let fingerprint: [UInt8]

  init(_ credential: Credential) {
    fingerprint = SealedBytes.fingerprint(of: credential.accessToken)
  }
}

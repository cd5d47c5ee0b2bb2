import SecretMemory

/// A credential that stays encrypted in memory between uses. Only this process has the key.
struct EncryptedCredential: Sendable {
  private static let key = AEAD.randomKey()

  private let sealed: [UInt8]

  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a token that cannot be stored.
  init(_ credential: Credential) throws {
    sealed = AEAD.seal(try CredentialCoding.encode(credential), key: Self.key, context: [])
  }

  /// Decrypts the credential. Each use decrypts it again.
  var credential: Credential {
    guard let line = AEAD.open(sealed, key: Self.key, context: []),
      let credential = CredentialCoding.decode(line)
    else { preconditionFailure("what this process has sealed does not open") }
    return credential
  }
}

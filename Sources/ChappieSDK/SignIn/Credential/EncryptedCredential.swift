import SecretMemory

/// A credential that has to stay while nothing is done with it, so that no token of it is in memory meanwhile.
struct PutAwayCredential: Sendable {
  /// Known to this process alone.
  private static let key = SealedBytes.randomKey()

  private let sealed: [UInt8]

  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a token that cannot be stored.
  init(_ credential: Credential) throws {
    sealed = SealedBytes.seal(try CredentialCoding.encode(credential), key: Self.key, context: [])
  }

  var credential: Credential {
    guard let line = SealedBytes.open(sealed, key: Self.key, context: []),
      let credential = CredentialCoding.decode(line)
    else { preconditionFailure("what this process has sealed does not open") }
    return credential
  }
}

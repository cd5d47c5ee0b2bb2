// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

extension Credential: KeyringSecret {
  package static let schema = "org.chappie.Credential"
  package static let reasons = (
    otherDevice: "The stored sign-in was made on another device, or the key of this device is gone: sign in again.",
    damaged: "The stored sign-in is damaged, or another version's: sign in again."
  )

  package static let title = "ChatGPT sign-in"
  package static let otherServers = "The stored sign-in is for other servers than the configured ones: sign in again."

  package var note: String { servers.fingerprint }

  package static func decode(_ bytes: SecretBytes) -> Credential? { CredentialCoding.decode(bytes) }
  package func encode() throws -> SecretBytes { try CredentialCoding.encode(self) }

  /// Whether this credential was refreshed no earlier than `other`.
  package func counts(before other: Credential) -> Bool { renewedAt >= other.renewedAt }
}

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

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Stores credentials.
@GLibActor
package protocol CredentialStore: SlotStore where Secret == Credential {
  /// Whether the store held a credential for `slot` and `servers` at its last successful read.
  func hadCredential(_ slot: SlotIdentity, for servers: CredentialServers) -> Bool

  /// The accounts of `service` that belong to `application` and to no access group.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func accounts(ofService service: String, of application: ChappieApplicationID) async throws -> [String]
}

extension CredentialStore {
  /// A store that always answers need not remember.
  package func hadCredential(_ slot: SlotIdentity, for servers: CredentialServers) -> Bool { false }
}

extension SecretServiceStore: CredentialStore where Secret == Credential {
  func hadCredential(_ slot: SlotIdentity, for servers: CredentialServers) -> Bool {
    notes?.note(of: slot) == servers.fingerprint
  }

  func accounts(ofService service: String, of application: ChappieApplicationID) async throws -> [String] {
    let attributes = [
      SlotAttribute.service: service, SlotAttribute.accessGroup: "",
      SlotAttribute.appID: application.attribute ?? "",
    ]
    await watch?.start()
    let found = try await converting { try await client.search(schema: Secret.schema, attributes) }
    return Set(found.filter { !$0.isLocked }.compactMap { $0.attributes[SlotAttribute.account] }).sorted()
  }
}

extension Credential: KeyringSecret {
  package static let schema = "org.chappie.Credential"
  package static let reasons = (
    otherDevice: "The stored sign-in was made on another device, or the key of this device is gone: sign in again.",
    damaged: "The stored sign-in is damaged, or another version's: sign in again."
  )

  package static func label(of slot: SlotIdentity) -> String {
    "ChatGPT sign-in (\(slot.ownerName), \(slot.account))"
  }

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

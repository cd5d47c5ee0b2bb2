import GLibBridge

/// A credential in the keyring, and the program that it belongs to. It says nothing of the sign-in itself.
package struct StoredCredential: Sendable {
  package let account: String
  /// Nil without an access group.
  package let accessGroup: String?
  /// The application for messages. Nil for the desktop user's own credential.
  package let application: String?

  /// The credentials of every application, account and access group.
  ///
  /// - Throws: ``ChappieAuthError`` when the keyring is locked or cannot be searched; `CancellationError`.
  @GLibActor
  package static func all() async throws -> [StoredCredential] {
    do {
      return try await SlotRegistry.owners().map { slot in
        StoredCredential(
          account: slot.account, accessGroup: slot.accessGroup,
          application: slot.appID.map(ChappieApplicationID.shown))
      }
    } catch let error as CredentialError {
      throw ChappieAuthError(error)
    }
  }
}

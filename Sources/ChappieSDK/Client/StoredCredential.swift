// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A credential in the keyring, and the program that it belongs to. It holds neither a token nor an account's address.
package struct StoredCredential: Sendable {
  package let account: String
  /// Nil without an access group.
  package let accessGroup: String?
  /// The application for messages. Nil for the desktop user's own credential.
  package let application: String?
  /// The sign-in method that made it. Nil while it cannot be read.
  package let method: ChappieSignInMethod?
  /// The state of the sign-in; ``ChappieAuthState/restoring`` while it is unknown.
  package let state: ChappieAuthState

  /// The credentials of every application, account and access group.
  ///
  /// - Parameter configuration: the servers of the credentials, and the lock policy.
  /// - Throws: ``ChappieAuthError`` when the keyring is locked or cannot be searched; `CancellationError`.
  @GLibActor
  package static func all(_ configuration: ChappieConfiguration) async throws -> [StoredCredential] {
    defer { MemoryHardening.wipeStack() }
    return try await ChappieAuthError.converting {
      var credentials: [StoredCredential] = []
      for identity in try await SlotRegistry.store.slots(interaction: .forbidden) {
        let slot = SlotRegistry.slot(identity, configuration.backend, configuration.unknownLockPolicy)
        credentials.append(await StoredCredential(slot))
      }
      return credentials
    }
  }

  /// Reads the credential if the slot has not seen it yet, without a change of the slot's own state.
  @GLibActor
  private init(_ slot: CredentialSlot) async {
    var state = slot.state
    if state.holding == nil {
      switch try? await slot.find(.forbidden) {
      // Another program removes it now, or the keyring is silent.
      case .some(.none), nil: break
      case let finding?: for event in slot.events(finding) { state.apply(event) }
      }
    }
    account = slot.identity.account
    accessGroup = slot.identity.accessGroup
    application = slot.identity.appID.map(ChappieApplicationID.shown)
    method = state.holding?.method
    self.state = state.state
  }
}

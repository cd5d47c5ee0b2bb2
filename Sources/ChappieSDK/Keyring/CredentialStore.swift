import GLibBridge

/// Where credentials are kept.
@GLibActor
package protocol CredentialStore: Sendable {
  /// What the store holds for `slot`.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  func find(_ slot: SlotIdentity) async throws -> StoredItem

  /// Stores `credential` and reads it back.
  ///
  /// - Throws: ``SecretStoreError``, ``ChappieAuthError``, `CancellationError`.
  func write(
    _ credential: Credential, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: SecretServiceClient.Interaction
  ) async throws

  /// Deletes what the store holds for `slot`. Nothing to delete is success.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  func delete(_ slot: SlotIdentity, interaction: SecretServiceClient.Interaction) async throws

  /// Makes sure that a credential could be written now.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  func unlock(interaction: SecretServiceClient.Interaction) async throws

  /// The accounts of `service` that belong to programs outside a sandbox and to no access group.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  func accounts(ofService service: String) async throws -> [String]
}

/// What a store holds for a slot.
package enum StoredItem {
  case none
  /// There is an item, and it cannot be read while the keyring is locked.
  case locked
  case credential(Credential)
  /// There is an item that is of no use here.
  case unusable(reason: String)
}

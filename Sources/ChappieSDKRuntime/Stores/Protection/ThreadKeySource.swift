import ChappieSDK
import SecretMemory

/// The source of a store's key. It decides whether the store can be read now.
package protocol ThreadKeySource: Sendable {
  /// The key; nil if there is none. The store calls this before each operation.
  ///
  /// - Parameter interaction: whether a keyring that is locked may ask the user for its password.
  /// - Throws: ``ChappieThreadStoreError/locked(_:)``, ``ChappieThreadStoreError/keyringUnavailable(_:)``,
  ///   ``ChappieThreadStoreError/unreadable(_:)`` for a key that cannot be used on this device.
  func existingKey(interaction: UserInteraction) async throws -> SecretBytes?

  /// The key, created if there is none: for an empty store.
  ///
  /// - Throws: as ``existingKey(interaction:)``.
  func key(interaction: UserInteraction) async throws -> SecretBytes

  /// Deletes the key, even if it cannot be used. Everything that was encrypted with it becomes unreadable for good.
  ///
  /// - Throws: ``ChappieThreadStoreError/locked(_:)`` if the key may not be read now,
  ///   ``ChappieThreadStoreError/keyringUnavailable(_:)``.
  func destroy() async throws
}

/// The key of a store.
struct StoreKey: Sendable {
  let secret: SecretBytes
  /// A name for this device. The store cannot be read on another one.
  let device: String
}

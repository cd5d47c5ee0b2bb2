import ChappieSDK
import SecretMemory

/// Where the key of a store comes from. It decides whether the store can be read now.
package protocol ThreadKeySource: Sendable {
  /// The key, asked for before each operation; nil where there is none.
  ///
  /// - Parameter interaction: whether a keyring that is locked may ask the user for its password.
  /// - Throws: ``ChappieThreadStoreError/locked(_:)``, ``ChappieThreadStoreError/keyringUnavailable(_:)``,
  ///   ``ChappieThreadStoreError/unreadable(_:)`` for one that is of no use here.
  func existingKey(interaction: UserInteraction) async throws -> SecretBytes?

  /// The same, made where there is none: for a store in which nothing is sealed yet.
  ///
  /// - Throws: as ``existingKey(interaction:)``.
  func key(interaction: UserInteraction) async throws -> SecretBytes

  /// Makes everything that was sealed with the key unreadable for good, also where the key is of no use.
  ///
  /// - Throws: ``ChappieThreadStoreError/locked(_:)`` where the key may not be read now,
  ///   ``ChappieThreadStoreError/keyringUnavailable(_:)``.
  func destroy() async throws
}

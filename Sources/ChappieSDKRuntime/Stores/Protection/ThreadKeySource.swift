import GLibBridge
import SecretMemory

/// Where the key of a store comes from. It decides whether the store can be read now.
package protocol ThreadKeySource: Sendable {
  /// The key, asked for before each operation; made where there is none yet.
  ///
  /// - Parameter interaction: whether a keyring that is locked may ask the user for its password.
  /// - Throws: ``ChappieThreadStoreError/locked(_:)``, ``ChappieThreadStoreError/keyringUnavailable(_:)``.
  func key(interaction: SecretServiceClient.Interaction) async throws -> SecretBytes

  /// Makes everything that was sealed with the key unreadable for good, also where the key is of no use.
  ///
  /// - Throws: ``ChappieThreadStoreError/locked(_:)`` where the key may not be read now,
  ///   ``ChappieThreadStoreError/keyringUnavailable(_:)``.
  func destroy() async throws
}

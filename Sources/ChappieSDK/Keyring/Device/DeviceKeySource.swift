import GLibBridge
import SecretMemory

/// Where the random key of this device is kept. With the machine id it makes the key that secrets in the keyring are
/// sealed with.
package enum DeviceKeyPlace: String, Sendable, Hashable, CaseIterable {
  /// A file that only the user can read.
  case file
  /// A file that only this machine's TPM can open.
  case tpm2
}

/// One place of a device key.
@GLibActor
protocol DeviceKeySource: Sendable {
  /// What a person has to know of where the key is, such as its path.
  nonisolated var description: String { get }

  /// The key; nil where there is none, or none any more.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` where something else is in its place or it cannot be read now,
  ///   `CancellationError`.
  func existing() async throws -> SecretBytes?

  /// The key, made where there is none. Programs that do so at once get the same one.
  ///
  /// - Throws: as ``existing()``, and where none can be kept.
  func made() async throws -> SecretBytes
}

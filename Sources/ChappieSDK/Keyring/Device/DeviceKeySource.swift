import GLibBridge
import SecretMemory

/// The place of this device's random key. That key and the machine id form the key that seals secrets in the keyring.
package enum DeviceKeyPlace: String, Sendable, Hashable, CaseIterable {
  /// A file that only the user can read.
  case file
  /// A file that only this machine's TPM can decrypt.
  case tpm2
}

/// One place of a device key.
@GLibActor
protocol DeviceKeySource: Sendable {
  /// The place of the key for messages, such as its path.
  nonisolated var description: String { get }

  /// Returns the key. Nil when none exists.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when the key cannot be read now or something else is in its place,
  ///   `CancellationError`.
  func existing() async throws -> SecretBytes?

  /// Returns the key and creates it if none exists. Programs that do so at the same time get the same key.
  ///
  /// - Throws: as ``existing()``, and when no key can be stored.
  func made() async throws -> SecretBytes
}

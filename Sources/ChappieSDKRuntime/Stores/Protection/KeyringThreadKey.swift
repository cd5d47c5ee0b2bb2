// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import SecretMemory

/// The key of a store in the desktop keyring, next to the credential of the same slot and encrypted for this device.
///
/// The key is read from the keyring when it is needed and kept for some seconds. It leaves memory when the screen or the
/// keyring is locked, unless its accessibility permits access then.
@GLibActor
package final class KeyringThreadKey: ThreadKeySource {
  private let configuration: ChappieConfiguration
  private let accessibility: ChappieKeychainAccessibility
  /// Keeps the key while it is in memory; made at the first use.
  private lazy var slot = ThreadKeyRegistry.slot(
    SlotIdentity(threadsOf: configuration), accessibility, configuration.unknownLockPolicy)

  /// - Parameters:
  ///   - configuration: the keychain fields name the slot.
  ///   - accessibility: when the key may be read.
  package nonisolated init(_ configuration: ChappieConfiguration, accessibility: ChappieKeychainAccessibility) {
    self.configuration = configuration
    self.accessibility = accessibility
  }

  /// The key of the store; nil if it has none.
  ///
  /// - Throws: ``ChappieThreadStoreError/locked(_:)``; ``ChappieThreadStoreError/keyringUnavailable(_:)``;
  ///   ``ChappieThreadStoreError/unreadable(_:)`` for a key of another device; `CancellationError`.
  package func existingKey(interaction: UserInteraction) async throws -> SecretBytes? {
    try await ChappieThreadStoreError.converting { try await slot.existingKey(interaction: interaction) }
  }

  /// The key of the store, created if it has none.
  ///
  /// - Throws: as ``existingKey(interaction:)``.
  package func key(interaction: UserInteraction) async throws -> SecretBytes {
    try await ChappieThreadStoreError.converting { try await slot.key(interaction: interaction) }
  }

  /// Deletes the key.
  ///
  /// - Throws: as ``key(interaction:)``.
  package func destroy() async throws {
    try await ChappieThreadStoreError.converting { try await slot.destroy() }
  }
}

extension ChappieThreadStoreError: CredentialFailure {
  package init(_ error: CredentialError) {
    switch error {
    case .locked(let message): self = .locked(message)
    case .keyringUnavailable(let message): self = .keyringUnavailable(message)
    case .unusable(let message): self = .unreadable(message)
    case .missing, .reauthenticationRequired, .signIn:
      self = .keyringUnavailable(ChappieAuthError(error).description)
    }
  }
}

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

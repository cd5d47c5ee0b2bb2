import ChappieSDK
import GLibBridge
import SecretMemory

/// The key of a store in the desktop keyring, beside the sign-in of the same slot and sealed for this device.
///
/// It is asked of the keyring when it is needed, kept for seconds, and gone from memory when the screen or the keyring
/// is locked, unless its rule lets it be read then.
@GLibActor
package final class KeyringThreadKey: ThreadKeySource {
  private let configuration: ChappieConfiguration
  private let accessibility: ChappieKeychainAccessibility
  /// What keeps the key for as long as it is in memory.
  private var slot: ThreadKeySlot?

  /// - Parameters:
  ///   - configuration: its keychain fields name the slot.
  ///   - accessibility: when the key may be read.
  package nonisolated init(_ configuration: ChappieConfiguration, accessibility: ChappieKeychainAccessibility) {
    self.configuration = configuration
    self.accessibility = accessibility
  }

  /// - Throws: ``ChappieThreadStoreError/locked(_:)``, ``ChappieThreadStoreError/keyringUnavailable(_:)``,
  ///   ``ChappieThreadStoreError/unreadable(_:)`` for a key of another device, `CancellationError`.
  package func existingKey(interaction: UserInteraction) async throws -> SecretBytes? {
    try await mappingErrors { try await openSlot().existingKey(interaction: interaction) }
  }

  /// - Throws: as ``existingKey(interaction:)``.
  package func key(interaction: UserInteraction) async throws -> SecretBytes {
    try await mappingErrors { try await openSlot().key(interaction: interaction) }
  }

  /// - Throws: as ``key(interaction:)``.
  package func destroy() async throws {
    try await mappingErrors { try await openSlot().destroy() }
  }

  private func openSlot() -> ThreadKeySlot {
    let open = slot ?? ThreadKeyRegistry.slot(for: configuration, accessibility)
    slot = open
    return open
  }

  private func mappingErrors<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as CredentialError {
      throw ChappieThreadStoreError(error)
    }
  }
}

extension ChappieThreadStoreError {
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

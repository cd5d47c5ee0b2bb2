// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The store behind the lock rules: the only way to a stored secret.
@GLibActor
struct SlotVault<Secret: Sendable> {
  /// The result of reading a slot.
  enum Finding {
    case none
    /// The secret exists and may not or cannot be read now.
    case locked(CredentialError)
    /// The keyring is locked and does not reveal whether the secret exists.
    case hidden(CredentialError)
    case unusable(reason: String)
    case secret(Secret, ChappieKeychainAccessibility)
  }

  let store: any SlotStore<Secret>
  let gate: LockGate

  init(store: some SlotStore<Secret>, gate: LockGate) {
    self.store = store
    self.gate = gate
  }

  /// Reads a slot under its item's accessibility rule.
  ///
  /// - Parameters:
  ///   - rule: an additional rule of the reader. It applies where the item's rule is weaker.
  ///   - interaction: whether a locked keyring may prompt for its password.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func read(
    _ slot: SlotIdentity, under rule: ChappieKeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
    interaction: UserInteraction
  ) async throws -> Finding {
    let finding = try await read(slot, under: rule)
    switch (finding, interaction) {
    case (.locked, .allowed), (.hidden, .allowed):
      guard await gate.interaction(interaction) == .allowed else { return finding }
      try await store.unlock(slot, interaction: .allowed)
      return try await read(slot, under: rule)
    default:
      return finding
    }
  }

  private func read(_ slot: SlotIdentity, under rule: ChappieKeychainAccessibility) async throws -> Finding {
    let item: UnreadItem<Secret>
    switch try await store.find(slot) {
    case .none: return .none
    case .locked: return .locked(.keyringLocked)
    case .hidden: return .hidden(.keyringLocked)
    case .unread(let found) where found.isCopy && rule == .whenUnlockedThisDeviceOnly:
      return .locked(.keyringLocked)
    case .unread(let found): item = found
    }
    do {
      _ = try await gate.permit(rule)
      switch try await item.open(try await gate.permit(item.accessibility)) {
      case .secret(let secret): return .secret(secret, item.accessibility)
      case .unusable(let reason): return .unusable(reason: reason)
      }
    } catch CredentialError.locked(let message) {
      // The lock rules forbid the read, or the keyring was locked between the search and the read.
      return .locked(.locked(message))
    }
  }
}

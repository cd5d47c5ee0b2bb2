import GLibBridge

/// The store behind the lock rules: the one way to a stored secret.
@GLibActor
struct SlotVault<Secret: Sendable> {
  /// What reading a slot came to.
  enum Finding {
    case none
    /// There is a secret, and it may not or cannot be read now.
    case locked(CredentialError)
    /// The keyring is locked and does not tell whether there is a secret.
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

  /// Reads a slot, under the rule that its item was stored with.
  ///
  /// - Parameters:
  ///   - rule: who reads keeps this one too, where the item's is weaker.
  ///   - interaction: whether a keyring that is locked may ask the user for its password.
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
    switch try await store.find(slot) {
    case .none: return .none
    case .locked: return .locked(.keyringLocked)
    case .hidden: return .hidden(.keyringLocked)
    case .unread(let item) where item.isCopy && rule == .whenUnlockedThisDeviceOnly:
      return .locked(.keyringLocked)
    case .unread(let item): return try await open(item, under: rule)
    }
  }

  private func open(_ item: UnreadItem<Secret>, under rule: ChappieKeychainAccessibility) async throws -> Finding {
    do {
      _ = try await gate.permit(rule)
      let permit = try await gate.permit(item.accessibility)
      switch try await item.open(permit) {
      case .secret(let secret): return .secret(secret, item.accessibility)
      case .unusable(let reason): return .unusable(reason: reason)
      }
    } catch CredentialError.locked(let message) {
      // By the lock rules, or by a keyring that was locked between finding and reading.
      return .locked(.locked(message))
    }
  }
}

import GLibBridge

/// The store behind the lock rules: the one way to a stored secret.
@GLibActor
struct SlotVault<Secret: Sendable> {
  /// What reading a slot came to.
  enum Finding {
    case none
    /// There is a secret, and it may not or cannot be read now.
    case locked(ChappieClientError)
    /// The keyring is locked and does not tell whether there is a secret.
    case hidden(ChappieClientError)
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
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  func read(
    _ slot: SlotIdentity, under rule: ChappieKeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
    interaction: SecretServiceClient.Interaction
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
    case .locked: return .locked(SecretStoreError.locked.clientError)
    case .hidden: return .hidden(SecretStoreError.locked.clientError)
    case .sealed(let sealed) where sealed.isCopy && rule == .whenUnlockedThisDeviceOnly:
      return .locked(SecretStoreError.locked.clientError)
    case .sealed(let sealed): return try await open(sealed, under: rule)
    }
  }

  private func open(_ sealed: SealedItem<Secret>, under rule: ChappieKeychainAccessibility) async throws -> Finding {
    let permit: ReadPermit
    do {
      _ = try await gate.permit(rule)
      permit = try await gate.permit(sealed.accessibility)
    } catch let error as ChappieClientError {
      return .locked(error)
    }
    do {
      switch try await sealed.open(permit) {
      case .secret(let secret): return .secret(secret, sealed.accessibility)
      case .unusable(let reason): return .unusable(reason: reason)
      }
    } catch SecretStoreError.locked {
      // It was locked between finding and reading.
      return .locked(SecretStoreError.locked.clientError)
    }
  }
}

import GLibBridge
import SecretMemory

/// The key of a slot's stored threads, in the keyring, as those may use it who keep one of the two lock rules.
///
/// A slot has one key for both rules. Its item has the weaker one once somebody has used it so; who keeps the stricter
/// one gets the key only where that allows it, whatever the item says.
@GLibActor
package final class ThreadKeySlot {
  /// How long a key stays in memory after its last use: long enough for what is done in one go.
  private static let keeping = Duration.seconds(10)

  private let slot: SlotIdentity
  private let accessibility: ChappieKeychainAccessibility
  private let gate: LockGate
  private let store: any SlotStore<ThreadKey>
  private let vault: SlotVault<ThreadKey>
  private let making = AsyncMutex()
  private var kept: SecretBytes?
  private var forgetting: Timer?

  init(
    _ slot: SlotIdentity, _ accessibility: ChappieKeychainAccessibility, _ store: any SlotStore<ThreadKey>,
    _ gate: LockGate
  ) {
    self.slot = slot
    self.accessibility = accessibility
    self.store = store
    self.gate = gate
    vault = SlotVault<ThreadKey>(store: store, gate: gate)
  }

  // MARK: Using

  /// The key; nil where there is none.
  ///
  /// - Parameter interaction: whether a keyring that is locked may ask the user for its password.
  /// - Throws: ``CredentialError``, `CancellationError`.
  package func existingKey(interaction: UserInteraction = .forbidden) async throws -> SecretBytes? {
    try await forgettingOnFailure {
      _ = try await gate.permit(accessibility)
      if let kept { return keep(kept) }
      guard let found = try await find(interaction) else { return nil }
      if isStricter(found.rule) { await widen() }
      return keep(found.key.bytes)
    }
  }

  /// The key; made where there is none.
  ///
  /// - Throws: as ``existingKey(interaction:)``.
  package func key(interaction: UserInteraction = .forbidden) async throws -> SecretBytes {
    if let key = try await existingKey(interaction: interaction) { return key }
    return try await forgettingOnFailure {
      try await making.withLock {
        // Of many that want the first key, one makes it.
        if let kept { return keep(kept) }
        return keep(try await makeKey(interaction))
      }
    }
  }

  private func forgettingOnFailure<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch {
      forget()
      throw error
    }
  }

  /// Deletes the key, also one that is of no use here: what was sealed with it can never be read again. Where it may not
  /// be read now, it is not deleted either.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  package func destroy() async throws {
    _ = try await gate.permit(accessibility)
    let lock = try await SlotFileLock.take(slot, for: .threadKey)
    defer { withExtendedLifetime(lock) {} }
    switch try await store.find(slot) {
    case .none: break
    case .unread(let item) where !item.isCopy: try await store.delete(slot, interaction: .forbidden)
    case .locked, .hidden, .unread: throw CredentialError.keyringLocked
    }
    forget()
    ThreadKeyRegistry.forget(slot)
  }

  // MARK: The keyring

  /// Nil where there is no key.
  private func find(_ interaction: UserInteraction) async throws
    -> (key: ThreadKey, rule: ChappieKeychainAccessibility)?
  {
    switch try await vault.read(slot, under: accessibility, interaction: interaction) {
    case .none: return nil
    case .locked(let error), .hidden(let error): throw error
    case .unusable(let reason): throw CredentialError.unusable(reason)
    case .secret(let key, let rule): return (key, rule)
    }
  }

  private func makeKey(_ interaction: UserInteraction) async throws -> SecretBytes {
    let lock = try await SlotFileLock.take(slot, for: .threadKey)
    defer { withExtendedLifetime(lock) {} }
    // Another process may have been faster.
    if let found = try await find(interaction) { return found.key.bytes }
    _ = try await gate.permit(accessibility)
    let key = ThreadKey(bytes: AEAD.randomKey())
    try await store.write(
      key, for: slot, accessibility: accessibility, interaction: await gate.interaction(interaction))
    return key.bytes
  }

  private func isStricter(_ rule: ChappieKeychainAccessibility) -> Bool {
    rule == .whenUnlockedThisDeviceOnly && accessibility == .afterFirstUnlockThisDeviceOnly
  }

  /// Stores the key under the weaker rule. Where that cannot be done now, the stricter one stays until the next use.
  private func widen() async {
    guard let lock = try? await SlotFileLock.take(slot, for: .threadKey) else { return }
    defer { withExtendedLifetime(lock) {} }
    // Another process may have been faster, or destroyed the key.
    guard let found = try? await find(.forbidden), isStricter(found.rule) else { return }
    try? await store.write(found.key, for: slot, accessibility: accessibility, interaction: .forbidden)
  }

  // MARK: Memory

  var isKept: Bool { kept != nil }

  @discardableResult
  func keep(_ key: SecretBytes) -> SecretBytes {
    forgetting = Timer(after: Self.keeping) { [weak self] in self?.forget() }
    kept = mayKeep ? key : nil
    return key
  }

  func forget() {
    kept = nil
    forgetting = nil
  }

  func lockChanged() {
    if !mayKeep { forget() }
  }

  /// A key that may be read only while nothing is locked is not in memory while something is, or the keyring is gone.
  private var mayKeep: Bool {
    switch accessibility {
    case .afterFirstUnlockThisDeviceOnly: true
    case .whenUnlockedThisDeviceOnly: !LockMonitor.shared.state.isLocked && LockMonitor.shared.isKeyringUnlocked
    }
  }
}

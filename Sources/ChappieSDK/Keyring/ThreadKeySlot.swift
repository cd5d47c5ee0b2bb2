import GLibBridge
import SecretMemory

/// The key of a slot's stored threads, in the keyring, under the slot's two lock rules.
@GLibActor
package final class ThreadKeySlot {
  /// Why there is no key now.
  package enum Failure: Error, Equatable {
    case locked(String)
    case keyringUnavailable(String)
    /// There is one, and it is of no use here.
    case unusable(String)
  }

  /// How long a key stays in memory after its last use: long enough for what is done in one go.
  private static let keeping = Duration.seconds(10)

  private let slot: SlotIdentity
  private let accessibility: ChappieKeychainAccessibility
  private let gate: LockGate
  private let store: any SlotStore<ThreadKey>
  private let vault: SlotVault<ThreadKey>
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

  /// The key; made where there is none.
  ///
  /// - Parameter interaction: whether a keyring that is locked may ask the user for its password.
  /// - Throws: ``Failure``, `CancellationError`.
  package func key(interaction: SecretServiceClient.Interaction = .forbidden) async throws -> SecretBytes {
    do {
      if let key = try await keptKey() { return keep(key) }
      if let key = try await readKey(interaction) { return keep(key) }
      return keep(try await makeKey(interaction))
    } catch {
      forget()
      throw try Failure(error)
    }
  }

  /// Deletes the key: what was sealed with it can never be read again.
  ///
  /// - Throws: ``Failure``, `CancellationError`.
  package func destroy() async throws {
    forget()
    do {
      let lock = try await SlotFileLock.take(slot, for: .threadKey)
      defer { withExtendedLifetime(lock) {} }
      try await store.delete(slot, interaction: .forbidden)
    } catch {
      throw try Failure(error)
    }
  }

  // MARK: The keyring

  /// Nil where there is no key.
  private func readKey(_ interaction: SecretServiceClient.Interaction) async throws -> SecretBytes? {
    switch try await vault.read(slot, interaction: interaction) {
    case .none: return nil
    case .locked(let error), .hidden(let error): throw error
    case .unusable(let reason): throw Failure.unusable(reason)
    case .secret(let key, let rule):
      if rule != accessibility { await changeRule(of: key) }
      return key.bytes
    }
  }

  private func makeKey(_ interaction: SecretServiceClient.Interaction) async throws -> SecretBytes {
    let lock = try await SlotFileLock.take(slot, for: .threadKey)
    defer { withExtendedLifetime(lock) {} }
    // Another process may have been faster.
    if let key = try await readKey(interaction) { return key }
    _ = try await gate.permit(accessibility)
    let key = ThreadKey(bytes: SealedBytes.randomKey())
    try await store.write(
      key, for: slot, accessibility: accessibility, interaction: await gate.interaction(interaction))
    return key.bytes
  }

  /// The program has chosen another rule since the key was made. Where that cannot be stored now, the old one stays.
  private func changeRule(of key: ThreadKey) async {
    try? await store.write(key, for: slot, accessibility: accessibility, interaction: .forbidden)
  }

  // MARK: Memory

  private func keptKey() async throws -> SecretBytes? {
    guard kept != nil else { return nil }
    _ = try await gate.permit(accessibility)
    return kept
  }

  private func keep(_ key: SecretBytes) -> SecretBytes {
    forgetting = Timer(after: Self.keeping) { [weak self] in self?.forget() }
    kept = mayKeep ? key : nil
    return key
  }

  private func forget() {
    kept = nil
    forgetting = nil
  }

  func lockChanged() {
    if !mayKeep { forget() }
  }

  /// A key that may be read only while nothing is locked is not in memory while something is, or the keyring is gone.
  private var mayKeep: Bool {
    switch (accessibility, LockMonitor.shared.state) {
    case (.afterFirstUnlockThisDeviceOnly, _): true
    case (.whenUnlockedThisDeviceOnly, .unlocked), (.whenUnlockedThisDeviceOnly, .unknown):
      LockMonitor.shared.isKeyringUnlocked
    case (.whenUnlockedThisDeviceOnly, .locked), (.whenUnlockedThisDeviceOnly, .beforeFirstUnlock): false
    }
  }
}

extension ThreadKeySlot.Failure {
  /// - Throws: `CancellationError`, which is none.
  fileprivate init(_ error: any Error) throws {
    switch error {
    case is CancellationError: throw error
    case let failure as ThreadKeySlot.Failure: self = failure
    case SecretStoreError.locked: self = .locked(SecretStoreError.locked.clientError.description)
    case ChappieClientError.locked(let message): self = .locked(message)
    case let error as SecretStoreError: self = .keyringUnavailable(error.clientError.description)
    case let error as ChappieAuthError: self = .keyringUnavailable(error.description)
    default: self = .keyringUnavailable("\(error)")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// The key of a slot's stored threads, for users of one of the two lock rules.
///
/// A slot has one key for both rules. Its item gets the weaker rule after the first use under that rule. A user of the
/// stricter rule still gets the key only when the stricter rule allows it.
@GLibActor
package final class ThreadKeySlot {
  /// The time that a key stays in memory after its last use. It spans the operations of one task.
  private static let keeping = Duration.seconds(10)

  private let slot: SlotIdentity
  private let accessibility: ChappieKeychainAccessibility
  private let gate: LockGate
  private let store: any SlotStore<ThreadKey>
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
  }

  // MARK: Using

  /// Returns the key. Nil when none exists.
  ///
  /// - Parameter interaction: whether a locked keyring may prompt for its password.
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

  /// Returns the key and creates it if none exists.
  ///
  /// - Throws: as ``existingKey(interaction:)``.
  package func key(interaction: UserInteraction = .forbidden) async throws -> SecretBytes {
    if let key = try await existingKey(interaction: interaction) { return key }
    return try await forgettingOnFailure {
      try await making.withLock {
        // Several tasks may want the first key, but only one creates it.
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

  /// Deletes the key, even an unusable one. Data sealed with it can never be read again. A key that may not be read now
  /// is not deleted.
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

  /// Returns nil when no key exists.
  private func find(_ interaction: UserInteraction) async throws
    -> (key: ThreadKey, rule: ChappieKeychainAccessibility)?
  {
    switch try await SlotVault(store: store, gate: gate).read(slot, under: accessibility, interaction: interaction) {
    case .none: return nil
    case .locked(let error), .hidden(let error): throw error
    case .unusable(let reason): throw CredentialError.unusable(reason)
    case .secret(let key, let rule): return (key, rule)
    }
  }

  private func makeKey(_ interaction: UserInteraction) async throws -> SecretBytes {
    let lock = try await SlotFileLock.take(slot, for: .threadKey)
    defer { withExtendedLifetime(lock) {} }
    // Another process may have created the key first.
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

  /// Stores the key under the weaker rule. If that fails now, the stricter rule stays until the next use.
  private func widen() async {
    guard let lock = try? await SlotFileLock.take(slot, for: .threadKey) else { return }
    defer { withExtendedLifetime(lock) {} }
    // Another process may have stored the weaker rule or destroyed the key.
    guard let found = try? await find(.forbidden), isStricter(found.rule) else { return }
    try? await store.write(found.key, for: slot, accessibility: accessibility, interaction: .forbidden)
  }

  // MARK: Memory

  var isKept: Bool { kept != nil }

  @discardableResult
  func keep(_ key: SecretBytes) -> SecretBytes {
    forgetting = Timer(after: Self.keeping) { [weak self] in self?.forget() }
    kept = gate.mayKeep(accessibility) ? key : nil
    return key
  }

  func forget() {
    kept = nil
    forgetting = nil
  }

  func lockChanged() {
    if !gate.mayKeep(accessibility) { forget() }
  }
}

/// The key that seals a slot's stored threads.
struct ThreadKey: KeyringSecret {
  static let schema = "org.chappie.ThreadKey"
  static let title = "ChatGPT threads"
  static let reasons = (
    otherDevice:
      "The stored threads were made on another device, or the key of this device is gone: they cannot be read. Delete all threads to start again.",
    damaged: "The key of the stored threads is damaged, or of another version. Delete all threads to start again."
  )

  let bytes: SecretBytes

  static func decode(_ bytes: SecretBytes) -> ThreadKey? {
    bytes.count == AEAD.keyLength ? ThreadKey(bytes: bytes) : nil
  }

  func encode() -> SecretBytes { bytes }

  /// Only one key is ever made, so none takes precedence over another: the first usable one that is found stays.
  func counts(before other: ThreadKey) -> Bool { false }
}

/// The thread keys in use in this process: one object for each slot and rule.
@GLibActor
package enum ThreadKeyRegistry {
  private struct Key: Hashable {
    let identity: SlotIdentity
    let accessibility: ChappieKeychainAccessibility
    let unknown: UnknownLockPolicy
  }

  private static var slots: [Key: Weak<ThreadKeySlot>] = [:]

  /// Makes each key follow the lock state. The first access installs it.
  private static let followLocks: Void = LockMonitor.shared.observe {
    for slot in slots.values { slot.value?.lockChanged() }
  }

  /// - Parameter accessibility: the rule for reading the key.
  package static func slot(
    _ identity: SlotIdentity, _ accessibility: ChappieKeychainAccessibility, _ unknown: UnknownLockPolicy
  ) -> ThreadKeySlot {
    let key = Key(identity: identity, accessibility: accessibility, unknown: unknown)
    if let slot = slots[key]?.value { return slot }
    slots = slots.filter { $0.value.value != nil }
    let slot = ThreadKeySlot(key.identity, accessibility, keyring, LockGate(unknown: key.unknown))
    slots[key] = Weak(slot)
    followLocks
    return slot
  }

  /// Removes the destroyed key of `identity` from memory under each rule.
  static func forget(_ identity: SlotIdentity) {
    for (key, slot) in slots where key.identity == identity { slot.value?.forget() }
  }

  /// Returns a name for this machine that does not reveal its id.
  ///
  /// - Throws: ``CredentialError/keyringUnavailable(_:)``.
  package static func deviceName() throws -> String {
    do {
      return try MachineID.name()
    } catch let error as SecretStoreError {
      throw CredentialError(error)
    }
  }

  static let keyring = SecretServiceStore<ThreadKey>()
}

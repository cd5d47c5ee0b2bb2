import GLibBridge

/// The keys of threads that are in use in this process: one object for each slot and rule.
@GLibActor
package enum ThreadKeyRegistry {
  private struct Key: Hashable {
    let identity: SlotIdentity
    let accessibility: ChappieKeychainAccessibility
    let unknown: UnknownLockPolicy
  }

  private static var slots: [Key: Weak<ThreadKeySlot>] = [:]

  /// Has each key forgotten when the lock says so. Done once, by being read.
  private static let followLocks: Void = LockMonitor.shared.observe {
    for slot in slots.values { slot.value?.lockChanged() }
  }

  /// - Parameter accessibility: when the key may be read.
  package static func slot(
    for configuration: ChappieConfiguration, _ accessibility: ChappieKeychainAccessibility
  ) -> ThreadKeySlot {
    let key = Key(
      identity: SlotIdentity(threadsOf: configuration), accessibility: accessibility,
      unknown: configuration.unknownLockPolicy)
    if let slot = slots[key]?.value { return slot }
    slots = slots.filter { $0.value.value != nil }
    let slot = ThreadKeySlot(key.identity, accessibility, keyring, LockGate(unknown: key.unknown))
    slots[key] = Weak(slot)
    followLocks
    return slot
  }

  /// Has the key of `identity`, which was destroyed, gone from memory under each rule.
  static func forget(_ identity: SlotIdentity) {
    for (key, slot) in slots where key.identity == identity { slot.value?.forget() }
  }

  /// A name for this machine that does not tell its id.
  ///
  /// - Throws: ``CredentialError/keyringUnavailable(_:)``.
  package static func deviceName() throws -> String {
    do {
      return try MachineID.name()
    } catch let error as SecretStoreError {
      throw CredentialError(error)
    }
  }

  private static let keyring = SecretServiceStore<ThreadKey>(
    client: DesktopKeyring.client, seals: DesktopKeyring.seals)
}

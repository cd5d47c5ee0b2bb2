// SPDX-License-Identifier: Apache-2.0
import GLibBridge

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
    for configuration: ChappieConfiguration, _ accessibility: ChappieKeychainAccessibility
  ) -> ThreadKeySlot {
    slot(SlotIdentity(threadsOf: configuration), accessibility, configuration.unknownLockPolicy)
  }

  static func slot(
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

  /// The slots with a key in the keyring, of every application.
  static func stored(interaction: UserInteraction) async throws -> [SlotIdentity] {
    try await keyring.slots(interaction: interaction)
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

  private static let keyring = SecretServiceStore<ThreadKey>(
    client: DesktopKeyring.client, seals: DesktopKeyring.seals)
}

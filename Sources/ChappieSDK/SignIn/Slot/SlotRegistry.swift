import GLibBridge

/// The slots of this process: one for each identity and backend that is in use.
@GLibActor
package enum SlotRegistry {
  private struct Key: Hashable {
    let identity: SlotIdentity
    let backend: ChappieBackend
  }

  private static var slots: [Key: Weak<CredentialSlot>] = [:]
  private static var seeded: [SlotIdentity: any CredentialStore] = [:]
  private static let http = AuthHTTP()

  /// Has each slot look again when the lock or the keyring changes. Done once, by being read.
  private static let followLocks: Void = {
    LockMonitor.shared.observe {
      for slot in slots.values.compactMap(\.value) {
        Task.onGLib { await slot.lockChanged() }
      }
    }
    Task.onGLib { await LockMonitor.shared.ready() }
  }()

  /// The slot that `configuration` names.
  static func slot(for configuration: ChappieConfiguration) -> CredentialSlot {
    let key = Key(identity: SlotIdentity(configuration), backend: configuration.backend)
    if let slot = slots[key]?.value { return slot }
    slots = slots.filter { $0.value.value != nil }
    let slot = CredentialSlot(
      identity: key.identity, method: DeviceCodeSignIn(backend: configuration.backend, http: http),
      store: seeded[key.identity] ?? store, gate: LockGate(unknown: configuration.unknownLockPolicy))
    slots[key] = Weak(slot)
    followLocks
    return slot
  }

  /// Waits until no slot has tokens under way or in hand that the store does not hold: before the process ends.
  package static func settle() async {
    for slot in slots.values.compactMap(\.value) { await slot.settle() }
  }

  /// Keeps the credential of one slot in `store` instead of the keyring: what the fixtures for apps' tests do.
  package static func seed(_ identity: SlotIdentity, with store: any CredentialStore) {
    seeded[identity] = store
  }

  /// The accounts that are stored for `service` of `application`.
  static func accounts(ofService service: String, of application: ChappieApplicationID) async throws -> [String] {
    try await store.accounts(ofService: service, of: application)
  }

  private static let store = SecretServiceStore<Credential>(
    client: DesktopKeyring.client, seals: DesktopKeyring.seals, notes: SlotNotes(),
    watch: KeyringWatch(client: DesktopKeyring.client, schema: Credential.schema) { changed($0) })

  // MARK: What others do

  private static let storeObservers = Observers<Void>()

  /// Calls `observer` after each change of a stored credential, whoever made it, for as long as the process lives.
  package static func observeStore(_ observer: @escaping @GLibActor () -> Void) {
    storeObservers.observeForGood(observer)
  }

  /// - Parameter items: the attributes of what has changed; nil where that can be anything.
  private static func changed(_ items: [[String: String]]?) {
    for slot in slots.values.compactMap(\.value) where items?.contains(where: slot.identity.owns) ?? true {
      Task.onGLib { await slot.changedInStore() }
    }
    storeObservers.notify(())
  }
}

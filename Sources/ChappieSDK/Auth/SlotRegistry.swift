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
  static let keyring = SecretServiceClient()
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

  /// The accounts that are stored for `service` by programs outside a sandbox.
  static func accounts(ofService service: String) async throws -> [String] {
    try await store.accounts(ofService: service)
  }

  private static let store: any CredentialStore = {
    do {
      return SecretServiceStore<Credential>(client: keyring, seal: try DeviceSeal(), notes: SlotNotes())
    } catch {
      return UnavailableStore(error: error as? SecretStoreError ?? .unavailable("\(error)"))
    }
  }()
}

/// Stands where no store can work, and says why.
@GLibActor
private struct UnavailableStore: CredentialStore {
  let error: SecretStoreError

  func find(_ slot: SlotIdentity) async throws -> StoredItem<Credential> { throw error }

  func write(
    _ credential: Credential, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: SecretServiceClient.Interaction
  ) async throws { throw error }

  func delete(_ slot: SlotIdentity, interaction: SecretServiceClient.Interaction) async throws { throw error }

  func unlock(_ slot: SlotIdentity, interaction: SecretServiceClient.Interaction) async throws { throw error }

  func accounts(ofService service: String) async throws -> [String] { throw error }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The slots of this process: one for each identity and backend in use.
@GLibActor
package enum SlotRegistry {
  private struct Key: Hashable {
    let identity: SlotIdentity
    let backend: ChappieBackend
  }

  private static var slots: [Key: Weak<CredentialSlot>] = [:]
  private static var live: [CredentialSlot] { slots.values.compactMap(\.value) }
  private static var seeded: [SlotIdentity: any SlotStore<Credential>] = [:]
  private static var issuers: [String: BrowserIssuer] = [:]

  /// Makes each slot read again after a change of the lock or the keyring. The first access installs it.
  private static let followLocks: Void = {
    LockMonitor.shared.observe {
      for slot in live { Task.onGLib { await slot.lockChanged() } }
    }
    Task.onGLib { await LockMonitor.shared.ready() }
  }()

  /// The slot for `configuration`.
  static func slot(for configuration: ChappieConfiguration) -> CredentialSlot {
    slot(SlotIdentity(configuration), configuration.backend, configuration.unknownLockPolicy)
  }

  static func slot(
    _ identity: SlotIdentity, _ backend: ChappieBackend, _ unknown: UnknownLockPolicy
  ) -> CredentialSlot {
    let key = Key(identity: identity, backend: backend)
    if let slot = slots[key]?.value { return slot }
    slots = slots.filter { $0.value.value != nil }
    let slot = CredentialSlot(
      identity: identity, methods: methods(of: key), store: seeded[identity] ?? store,
      gate: LockGate(unknown: unknown), unused: seeded[identity] == nil ? unused : nil)
    slots[key] = Weak(slot)
    followLocks
    return slot
  }

  private static func methods(of key: Key) -> [any SignInMethod] {
    let issuer = issuers[key.backend.issuer] ?? BrowserIssuer(key.backend.issuer, http: AuthHTTP())
    issuers[key.backend.issuer] = issuer
    return [
      DeviceCodeSignIn(key.backend, http: issuer.http),
      BrowserSignIn(key.backend, slot: key.identity, issuer: issuer),
    ]
  }

  /// Renews sign-ins that would end because nobody uses them, soon and once a day, for the lifetime of this process.
  package static func keepIdleSignIns(after delay: Duration = .seconds(60)) {
    nextRenewal = Timer(after: delay) {
      for slot in live { Task.onGLib { await slot.renewIfIdle() } }
      keepIdleSignIns(after: .seconds(24 * 3600))
    }
  }

  private static var nextRenewal: Timer?

  /// Ends sign-ins that a process, which has ended since, was issued or has replaced, soon and whenever a lock changes,
  /// for the lifetime of this process. The first call, for which the service was started, does not wait for it.
  package static func revokeUnusedSignIns(_ configuration: ChappieConfiguration) {
    func revoke() {
      Task.onGLib {
        for identity in try await unused.slots(interaction: .forbidden) {
          await slot(identity, configuration.backend, configuration.unknownLockPolicy).revokeUnused()
        }
      }
    }
    firstRevocation = Timer(after: .seconds(1)) {
      LockMonitor.shared.observe(revoke)
      revoke()
    }
  }

  private static var firstRevocation: Timer?

  private static let unused = SecretServiceStore<UnusedSignIns>()

  /// Whether the user is signing in to a slot.
  package static var isSigningIn: Bool {
    live.contains { $0.state.deviceLinkState.isRunning }
  }

  /// Waits until no slot has running refreshes or pending tokens. Call it before the process exits.
  package static func settle() async {
    for slot in live { await slot.settle() }
  }

  /// Stores the credential of one slot in `store` instead of the keyring. The fixtures for apps' tests use it.
  package static func seed(_ identity: SlotIdentity, with store: any SlotStore<Credential>) {
    seeded[identity] = store
  }

  /// The slots with a credential in the keyring, of every application. Running sign-ins end first, because they would
  /// store another one.
  static func stored(interaction: UserInteraction) async throws -> [SlotIdentity] {
    for slot in live { await slot.endWhatIsUnderWay() }
    let stored = try await store.slots(interaction: interaction)
    return stored + (try await unused.slots(interaction: .forbidden)).filter { !stored.contains($0) }
  }

  static let store = SecretServiceStore<Credential>(
    notes: SlotNotes(), watch: KeyringWatch(client: DesktopKeyring.client, schema: Credential.schema) { changed($0) })

  // MARK: Changes by other programs

  private static let storeObservers = Observers<Void>()

  /// Calls `observer` after each change of a stored credential by any process, for the lifetime of this process.
  package static func observeStore(_ observer: @escaping @GLibActor () -> Void) {
    storeObservers.observeForGood(observer)
  }

  /// - Parameter items: the attributes of the changed items. Nil when any item may have changed.
  private static func changed(_ items: [[String: String]]?) {
    for slot in live where items?.contains(where: slot.identity.owns) ?? true {
      Task.onGLib { await slot.changedInStore() }
    }
    storeObservers.notify(())
  }
}

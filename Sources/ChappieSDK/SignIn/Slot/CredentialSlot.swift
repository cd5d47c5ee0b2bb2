// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory
import Synchronization

/// One stored credential and its operations. All sessions and clients of a process with the same slot share one
/// instance, so only one refresh runs at a time.
///
/// The instance alone holds the state of the sign-in. Other types read that state here and observe its changes. Refresh
/// and revocation have files of their own; a running sign-in has a type of its own.
@GLibActor
final class CredentialSlot {
  /// A state and its successor.
  struct Change: Sendable {
    let old: SlotState
    let new: SlotState
  }

  let identity: SlotIdentity
  let methods: [any SignInMethod]
  let store: any SlotStore<Credential>
  let gate: LockGate
  /// Stores the sign-ins that the server is to end. Nil where the credentials are not in the keyring either.
  let unusedStore: (any SlotStore<UnusedSignIns>)?
  let clock: @Sendable () -> BootTime
  /// The running sign-in.
  var signIn: SlotSignIn?
  /// The running refresh.
  var refreshing: Task<AccessGrant, any Error>?
  /// The running revocation of sign-ins that nobody uses.
  var revoking: Task<Revocations, Never>?
  /// Refreshed tokens that the store has not taken yet.
  var pending: PendingCredential?
  /// A refusal that the store has not taken yet, and the time of the refused credential's last refresh.
  var pendingRefusal: (moment: BootTime, renewedAt: Timestamp)?
  /// The time of a mark that could not be removed, though its token was not redeemed.
  var mistakenMark: Timestamp?
  private var looking: Task<Void, Never>?
  /// This process's own changes to the store: those begun so far, those under way, and whether a read was dropped during
  /// one.
  private var ownChanges = (begun: 0, underWay: 0, hasMissedLook: false)
  private nonisolated let shared = Mutex(SlotState())
  private let observers = Observers<Change>()
  private var attachments: [ObjectIdentifier: AnyObject] = [:]

  init(
    identity: SlotIdentity, methods: [any SignInMethod], store: any SlotStore<Credential>, gate: LockGate,
    unused: (any SlotStore<UnusedSignIns>)? = nil, clock: @escaping @Sendable () -> BootTime = { .now }
  ) {
    self.clock = clock
    self.identity = identity
    self.methods = methods
    self.store = store
    self.gate = gate
    unusedStore = unused
  }

  // MARK: State

  /// The present state. Only the actor changes it, and any thread may read it.
  nonisolated var state: SlotState { shared.withLock { $0 } }

  func apply(_ event: SlotState.Event) {
    apply([event])
  }

  /// Applies events as one change. The last one is its reason.
  func apply(_ events: [SlotState.Event]) {
    let old = state
    var new = old
    for event in events { new.apply(event) }
    guard new != old else { return }
    shared.withLock { $0 = new }
    if new.state != old.state, let event = events.last {
      Log.info("The sign-in state changes from \(old.state) to \(new.state): \(event).", slot: identity.logSlot)
    }
    observers.notify(Change(old: old, new: new))
  }

  /// Calls `observer` after each change of ``state``, for as long as the caller keeps the result.
  func observe(_ observer: @escaping @GLibActor (Change) -> Void) -> Observation {
    observers.observe(observer)
  }

  /// Returns the object of type `Attached` that this slot keeps for another part of the library. Calls `make` if there
  /// is none yet.
  func attached<Attached: AnyObject>(_ make: () -> Attached) -> Attached {
    let type = ObjectIdentifier(Attached.self)
    if let known = attachments[type] as? Attached { return known }
    let new = make()
    attachments[type] = new
    return new
  }

  // MARK: Reading

  /// Reads the slot in the keyring. A keyring that does not answer changes nothing.
  func restore() async {
    defer { MemoryHardening.wipeStack() }
    _ = try? await read()
  }

  /// Returns the stored credential and its accessibility rule.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func read(interaction: UserInteraction = .forbidden) async throws -> (Credential, ChappieKeychainAccessibility) {
    let finding: SlotFinding<Credential>
    do {
      finding = try await find(interaction)
    } catch let error as CredentialError {
      recall()
      LockMonitor.shared.lookAtKeyring()
      throw noted(error)
    }
    apply(events(finding))
    switch finding {
    case .secret(let credential, let rule): return (credential, rule)
    case .locked(let error): throw noted(error)
    case .hidden(let error):
      recall()
      throw noted(error)
    case .none, .unusable: throw CredentialError.missing
    }
  }

  /// Reads the store's entry for the servers of this slot. A credential for other servers counts as unusable and is
  /// sent nowhere.
  func find(_ interaction: UserInteraction) async throws -> SlotFinding<Credential> {
    let finding = try await SlotVault(store: store, gate: gate).read(identity, interaction: interaction)
    guard case .secret(let credential, _) = finding, methods[credential] == nil else { return finding }
    return .unusable(reason: Credential.otherServers)
  }

  /// The events for what was found.
  func events(_ finding: SlotFinding<Credential>) -> [SlotState.Event] {
    switch finding {
    case .secret(let credential, let rule):
      identified(credential, rule) { account in
        credential.refusedAt != nil
          ? .foundRefused(account, .signIn(credential.reasonForRefusal), renewedAt: credential.renewedAt)
          : .found(account, renewedAt: credential.renewedAt)
      }
    case .locked: [.foundLocked]
    case .hidden: []
    case .none: [.foundNone]
    case .unusable(let reason): [.foundUnusable(reason: reason)]
    }
  }

  /// The events for a credential: what it allows, and `event` with its account.
  func identified(
    _ credential: Credential, _ rule: ChappieKeychainAccessibility, _ event: (ChappieAccountInfo) -> SlotState.Event
  ) -> [SlotState.Event] {
    guard let method = methods[credential] else { return [] }
    let facts = method.facts(of: credential)
    let holding = SlotState.Holding(
      method: method.kind, accessibility: rule, planUse: facts.planUse,
      manageUsageURL: method.backend.manageUsageURL, needsBackgroundConsent: method.backend.needsBackgroundConsent)
    return [.holds(holding), event(facts.account)]
  }

  /// A silent keyring signs nobody out, even across a restart.
  private func recall() {
    let note = store.note(of: identity)
    if methods.contains(where: { $0.servers.fingerprint == note }) { apply(.recalled) }
  }

  /// Records `error` if it comes from the store or the lock, and returns it.
  func noted(_ error: CredentialError) -> CredentialError {
    switch error {
    case .locked, .keyringUnavailable: apply(.storeFailed(error))
    case .missing, .unusable, .reauthenticationRequired, .signIn: break
    }
    return error
  }

  // MARK: Changes

  /// Runs `body`, a change to the store. A read that overlaps with it may see half of it: it is dropped, and made again
  /// afterwards.
  func changing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    ownChanges.begun += 1
    ownChanges.underWay += 1
    defer {
      ownChanges.underWay -= 1
      if ownChanges.underWay == 0, ownChanges.hasMissedLook {
        ownChanges.hasMissedLook = false
        Task.onGLib { await look() }
      }
    }
    return try await body()
  }

  func write(_ credential: Credential, _ rule: ChappieKeychainAccessibility) async throws {
    try await changing {
      try await store.write(credential, for: identity, accessibility: rule, interaction: .forbidden)
    }
  }

  /// Reads other processes' changes since the last read. A keyring that does not answer changes nothing.
  func look() async {
    let task =
      looking
      ?? Task.onGLib {
        if state.state == .restoring { await restore() } else { await lookQuietly() }
        looking = nil
      }
    looking = task
    await task.value
  }

  /// Handles another process's change to the store.
  func changedInStore() async {
    // A running read may have missed the change.
    await looking?.value
    await look()
  }

  /// Nobody waits for the result, so a failed read is no error.
  private func lookQuietly() async {
    defer { MemoryHardening.wipeStack() }
    let before = ownChanges.begun
    guard let finding = try? await find(.forbidden) else { return }
    if ownChanges.underWay > 0 {
      ownChanges.hasMissedLook = true
    } else if ownChanges.begun == before {
      apply(events(finding))
    }
  }

  /// Reads again after a change of the lock or the keyring, where something is still unknown.
  func lockChanged() async {
    await storePending()
    await removeMistakenMark()
    switch state.lastError {
    case .locked, .keyringUnavailable: await restore()
    // A slot without a credential reads too: another keyring may be present now.
    default: if state.accountInfo == nil { await restore() }
    }
  }
}

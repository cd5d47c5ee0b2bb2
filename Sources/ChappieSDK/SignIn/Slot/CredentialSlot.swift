// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory
import Synchronization

/// One stored credential and its operations. All sessions and clients of a process with the same slot share one
/// instance, so only one refresh runs at a time.
///
/// The instance alone holds the state of the sign-in. Other types read that state here and observe its changes.
/// Reading, outside changes, refresh, refusals, sign-in and sign-out have a file each.
@GLibActor
final class CredentialSlot {
  enum SignIn {
    case none
    case running(ChappieSignInMethod, Task<Void, Never>)
  }

  enum Refresh {
    case none
    case running(Task<AccessGrant, any Error>)
  }

  enum Look {
    case none
    case running(Task<Void, Never>)
  }

  /// A state and its successor.
  struct Change: Sendable {
    let old: SlotState
    let new: SlotState
  }

  let identity: SlotIdentity
  let methods: SignInMethods
  let store: any CredentialStore
  let vault: SlotVault<Credential>
  let gate: LockGate
  /// Stores the sign-ins that the server is to end. Nil where the credentials are not in the keyring either.
  let unused: (any SlotStore<UnusedSignIns>)?
  /// What the running sign-in is being issued. Nil before, and after it is stored.
  var issue: Issue?
  var revoking = Revocation.none
  let clock: @Sendable () -> BootTime
  var signIn = SignIn.none
  /// The way back for the browser of the running sign-in.
  var browserReturn: BrowserReturn?
  var refreshing = Refresh.none
  var looking = Look.none
  /// Refreshed tokens that the store has not taken yet.
  var pending: PendingCredential?
  /// A refusal that the store has not taken yet.
  var pendingRefusal: PendingRefusal?
  /// The time of a mark that could not be removed, though its token was not redeemed.
  var mistakenMark: Timestamp?
  var ownChanges = OwnChanges()
  private nonisolated let shared = Mutex(SlotState())
  private let observers = Observers<Change>()
  private var attachments: [ObjectIdentifier: AnyObject] = [:]

  init(
    identity: SlotIdentity, methods: SignInMethods, store: any CredentialStore, gate: LockGate,
    unused: (any SlotStore<UnusedSignIns>)? = nil,
    clock: @escaping @Sendable () -> BootTime = { .now }
  ) {
    self.clock = clock
    self.identity = identity
    self.methods = methods
    self.store = store
    self.gate = gate
    self.unused = unused
    vault = SlotVault<Credential>(store: store, gate: gate)
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

  // MARK: Attachments

  /// Returns the object of type `Attached` that this slot keeps for another part of the library. Calls `make` if there
  /// is none yet.
  func attached<Attached: AnyObject>(_ make: () -> Attached) -> Attached {
    let type = ObjectIdentifier(Attached.self)
    if let known = attachments[type] as? Attached { return known }
    let new = make()
    attachments[type] = new
    return new
  }
}

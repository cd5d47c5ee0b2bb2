import GLibBridge
import Platform
import SecretMemory
import Synchronization

/// One stored credential and everything that happens to it. All sessions and clients of a process with the same slot
/// share one of these, so that one refresh runs at a time.
///
/// It is the one holder of the state of a sign-in: whoever shows the state reads it here and observes its changes.
/// Reading, changes by others, refresh, refusals, sign-in and sign-out have a file each.
@GLibActor
final class CredentialSlot {
  enum SignIn {
    case none
    case running(Task<Void, Never>)
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
  let method: any SignInMethod
  let store: any CredentialStore
  let vault: SlotVault<Credential>
  let gate: LockGate
  let clock: @Sendable () -> BootTime
  var signIn = SignIn.none
  var refreshing = Refresh.none
  var looking = Look.none
  /// Renewed tokens that the store has not taken yet.
  var pending: PendingCredential?
  /// A refusal that the store has not taken yet.
  var pendingRefusal: PendingRefusal?
  var ownChanges = OwnChanges()
  private nonisolated let shared = Mutex(SlotState())
  private let observers = Observers<Change>()
  private var attachments: [ObjectIdentifier: AnyObject] = [:]

  init(
    identity: SlotIdentity, method: any SignInMethod, store: any CredentialStore, gate: LockGate,
    clock: @escaping @Sendable () -> BootTime = { .now }
  ) {
    self.clock = clock
    self.identity = identity
    self.method = method
    self.store = store
    self.gate = gate
    vault = SlotVault<Credential>(store: store, gate: gate)
  }

  // MARK: State

  /// The state now. It changes on the actor alone, and any thread may read it.
  nonisolated var state: SlotState { shared.withLock { $0 } }

  func apply(_ event: SlotState.Event) {
    let old = state
    var new = old
    new.apply(event)
    guard new != old else { return }
    shared.withLock { $0 = new }
    if new.state != old.state {
      Log.info("The sign-in state changes from \(old.state) to \(new.state): \(event).", slot: identity.logSlot)
    }
    observers.notify(Change(old: old, new: new))
  }

  /// Calls `observer` after each change of ``state``, for as long as the result is kept.
  func observe(_ observer: @escaping @GLibActor (Change) -> Void) -> Observation {
    observers.observe(observer)
  }

  // MARK: Attachments

  /// An object that another part of this library keeps for as long as this slot is in use. There is one of each type;
  /// `make` is called where there is none yet.
  func attached<Attached: AnyObject>(_ make: () -> Attached) -> Attached {
    let type = ObjectIdentifier(Attached.self)
    if let known = attachments[type] as? Attached { return known }
    let new = make()
    attachments[type] = new
    return new
  }
}

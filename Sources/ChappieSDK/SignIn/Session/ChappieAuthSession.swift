import GLibBridge
import Observation
import Synchronization

/// The sign-in of one credential slot: what it is, and how it changes.
///
/// Sessions are independent objects; those with the same application and keychain fields look at the same credential.
/// A session reads the keyring when it is made, so a returning user is signed in without doing anything. What another
/// process does to the credential shows here within a second.
///
/// What it shows can be observed, with `withObservationTracking`, `Observations`, or as ``updates``. A change is told on
/// the thread that this library works on.
public final class ChappieAuthSession: Observable, Sendable {
  /// Everything that a session shows, at one moment.
  public struct Snapshot: Sendable, Hashable {
    public let state: ChappieAuthState
    public let deviceLinkState: ChappieDeviceLinkState
    /// The code that waits for the user; nil when there is none.
    public let deviceCode: ChappieDeviceCode?
    public let accountInfo: ChappieAccountInfo?
    public fileprivate(set) var lastError: ChappieAuthError?

    init(_ state: SlotState) {
      self.state = state.state
      deviceLinkState = state.deviceLinkState
      deviceCode = state.deviceCode
      accountInfo = state.accountInfo
      lastError = state.lastError.map { ChappieAuthError($0) }
    }
  }

  /// What the session shows: the state of its slot, which the slot alone holds.
  private struct View: Sendable {
    enum Link: Sendable {
      case unconnected
      case connected(CredentialSlot)
    }

    var link = Link.unconnected
    var observation: Observation?
    /// A failure that this session alone knows of, until the slot's state changes.
    var ownError: ChappieAuthError?
    var listeners: [Int: AsyncStream<Snapshot>.Continuation] = [:]
    var nextListener = 0

    var snapshot: Snapshot {
      switch link {
      case .unconnected: snapshot(of: SlotState())
      case .connected(let slot): snapshot(of: slot.state)
      }
    }

    func snapshot(of state: SlotState) -> Snapshot {
      var snapshot = Snapshot(state)
      if let ownError { snapshot.lastError = ownError }
      return snapshot
    }
  }

  /// How long ``signOut()`` holds up its caller.
  private static let signOutPatience = Duration.seconds(10)

  public let configuration: ChappieConfiguration
  private let view = Mutex(View())
  private let registrar = ObservationRegistrar()

  init(configuration: ChappieConfiguration) {
    self.configuration = configuration
    Task.onGLib { [weak self] in await self?.connect() }
  }

  /// Holds up the calling thread until the keyring was read, `patience` at most. On the bridge's own thread, which
  /// does the reading, it returns at once.
  func waitForFirstReading(atMost patience: Duration) {
    _ = GLibActor.block(atMost: patience) { await self.connect() }
  }

  deinit {
    for listener in view.withLock({ $0.listeners.values }) { listener.finish() }
  }

  // MARK: Reading

  public var snapshot: Snapshot { read(\.snapshot) }
  public var state: ChappieAuthState { read(\.state).state }
  public var deviceLinkState: ChappieDeviceLinkState { read(\.deviceLinkState).deviceLinkState }
  public var deviceCode: ChappieDeviceCode? { read(\.deviceCode).deviceCode }
  public var accountInfo: ChappieAccountInfo? { read(\.accountInfo).accountInfo }
  public var lastError: ChappieAuthError? { read(\.lastError).lastError }

  /// What is shown, noting that somebody has read `member`.
  private func read<Value>(_ member: KeyPath<ChappieAuthSession, Value>) -> Snapshot {
    registrar.access(self, keyPath: member)
    return view.withLock { $0.snapshot }
  }

  /// The present snapshot and each that follows. A reader that is slow gets the newest and misses those between.
  public var updates: AsyncStream<Snapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
    let id = view.withLock { view in
      view.nextListener += 1
      view.listeners[view.nextListener] = continuation
      continuation.yield(view.snapshot)
      return view.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.view.withLock { $0.listeners[id] = nil }
    }
    return stream
  }

  /// Calls `observer` after each change of ``snapshot``, with what was shown before and what is shown now, for as long
  /// as the result is kept.
  @GLibActor
  package func observe(_ observer: @escaping @GLibActor (_ old: Snapshot, _ new: Snapshot) -> Void) -> Observation {
    slot.observe { observer(Snapshot($0.old), Snapshot($0.new)) }
  }

  /// Waits until the keyring was asked, and returns the state: ``ChappieAuthState/restoring`` when it gave no answer.
  @GLibActor
  @discardableResult
  public func restored() async -> ChappieAuthState {
    await connect()
    return state
  }

  // MARK: Acting

  /// Starts a sign-in and returns the code that the user enters. While one runs, the same code comes back.
  /// The credential that is stored is kept until the new sign-in has succeeded; then the server is asked to revoke it.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  @GLibActor
  @discardableResult
  public func startDeviceCodeSignIn() async throws -> ChappieDeviceCode {
    try await startDeviceCodeSignIn(interaction: .forbidden)
  }

  /// As ``startDeviceCodeSignIn()``; `interaction` decides whether the keyring may ask for its password.
  @GLibActor
  package func startDeviceCodeSignIn(interaction: UserInteraction) async throws -> ChappieDeviceCode {
    do {
      return try await slot.startSignIn(configuration.keychainAccessibility, interaction: interaction)
    } catch let error as CredentialError {
      throw ChappieAuthError(error)
    }
  }

  /// Stops a sign-in that runs. What was stored before stays.
  public func cancelSignIn() {
    Task.onGLib { cancelSignInAtOnce() }
  }

  /// As ``cancelSignIn()``, done when it returns: a sign-in that is started next is a new one.
  @GLibActor
  package func cancelSignInAtOnce() {
    slot.cancelSignIn()
  }

  /// Removes this slot's credential, and no other, then asks the server to revoke it. It is removed when this returns,
  /// so that a program may end next; the revocation goes on. Where it cannot be removed, ``lastError`` says why, and
  /// ``state`` stays; ``signOutAndWait()`` throws it. Where it is removed and the server could not be told, ``lastError``
  /// is ``ChappieAuthError/revocationFailed(_:)`` some time later.
  ///
  /// It holds up its thread, which may be the main thread, for as long as the keyring takes: milliseconds, and where
  /// something does not answer 10 seconds. Then ``lastError`` says so, and the removal is still tried. On the thread
  /// that this library works on itself, such as in a tool's handler, nothing can be waited for: the removal has begun
  /// when this returns, and ``signOutAndWait()`` is what to call there.
  public func signOut() {
    let outcome = GLibActor.block(atMost: Self.signOutPatience) {
      _ = try? await self.slot.signOut(interaction: .forbidden)
    }
    guard case .timedOut = outcome else { return }
    let (old, new) = view.withLock { view in
      let old = view.snapshot
      if old.state != .signedOut {
        view.ownError = .keyringUnavailable(
          "The sign-in is still stored, because the keyring or a program that uses it does not answer: removing it "
            + "goes on.")
      }
      return (old, view.snapshot)
    }
    notify(from: old, to: new)
  }

  /// As ``signOut()``, and returns once the credential is removed and the server has answered, or 10 seconds have
  /// passed: then ``lastError`` says whether the server was told.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  @GLibActor
  public func signOutAndWait() async throws {
    try await signOutAndWait(interaction: .forbidden)
  }

  @GLibActor
  package func signOutAndWait(interaction: UserInteraction) async throws {
    do {
      try await slot.signOut(interaction: interaction).value
    } catch {
      throw ChappieAuthError(error)
    }
  }

  // MARK: The slot

  @GLibActor
  var slot: CredentialSlot {
    if case .connected(let slot) = view.withLock({ $0.link }) { return slot }
    let slot = SlotRegistry.slot(for: configuration)
    let observation = slot.observe { [weak self] in self?.slotChanged($0) }
    let old = view.withLock { view in
      let old = view.snapshot
      view.link = .connected(slot)
      view.observation = observation
      return old
    }
    notify(from: old, to: Snapshot(slot.state))
    return slot
  }

  @GLibActor
  private func connect() async {
    await slot.look()
  }

  private func slotChanged(_ change: CredentialSlot.Change) {
    let old = view.withLock { view in
      let old = view.snapshot(of: change.old)
      view.ownError = nil
      return old
    }
    notify(from: old, to: Snapshot(change.new))
  }

  /// Tells observers and listeners of a change that has happened.
  private func notify(from old: Snapshot, to new: Snapshot) {
    let changed = Member.all.filter { $0.hasChanged(old, new) }
    // Without the lock: an observer may read at once.
    for member in changed { member.willSet(registrar, self) }
    view.withLock { view in
      for listener in view.listeners.values { listener.yield(view.snapshot) }
    }
    for member in changed { member.didSet(registrar, self) }
  }
}

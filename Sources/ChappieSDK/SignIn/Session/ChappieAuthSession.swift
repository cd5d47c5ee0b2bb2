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
      lastError = state.lastError
    }
  }

  private struct Shown: Sendable {
    var snapshot = Snapshot(SlotState())
    var listeners: [Int: AsyncStream<Snapshot>.Continuation] = [:]
    var nextListener = 0
  }

  /// How long ``signOut()`` holds up its caller.
  private static let signOutPatience = Duration.seconds(10)

  public let configuration: ChappieConfiguration
  private let shown = Mutex(Shown())
  private let registrar = ObservationRegistrar()
  private let link: SlotLink

  init(configuration: ChappieConfiguration) {
    self.configuration = configuration
    link = SlotLink()
    Task.onGLib { [weak self] in await self?.connect() }
  }

  /// Holds up the calling thread until the keyring was read, `patience` at most. On the bridge's own thread, which
  /// does the reading, it returns at once.
  func waitForFirstReading(atMost patience: Duration) {
    _ = GLibActor.hold(atMost: patience) { await self.connect() }
  }

  deinit {
    for listener in shown.withLock({ $0.listeners.values }) { listener.finish() }
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
    return shown.withLock { $0.snapshot }
  }

  /// The present snapshot and each that follows. A reader that is slow gets the newest and misses those between.
  public var updates: AsyncStream<Snapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
    let id = shown.withLock { shown in
      shown.nextListener += 1
      shown.listeners[shown.nextListener] = continuation
      continuation.yield(shown.snapshot)
      return shown.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.shown.withLock { $0.listeners[id] = nil }
    }
    return stream
  }

  /// Calls `observer` with each change as it happens, for as long as the result is kept.
  @GLibActor
  package func observe(_ observer: @escaping @GLibActor (Snapshot) -> Void) -> Observation {
    slot.observe { observer(Snapshot($0)) }
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
  package func startDeviceCodeSignIn(interaction: SecretServiceClient.Interaction) async throws -> ChappieDeviceCode {
    try await slot.startSignIn(configuration.keychainAccessibility, interaction: interaction)
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
    let outcome = GLibActor.hold(atMost: Self.signOutPatience) {
      _ = try? await self.slot.signOut(interaction: .forbidden)
    }
    guard case .late = outcome else { return }
    change { shown in
      guard shown.state != .signedOut else { return }
      shown.lastError = .keyringUnavailable(
        "The sign-in is still stored, for the keyring or a program that uses it does not answer: removing it goes on.")
    }
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
  package func signOutAndWait(interaction: SecretServiceClient.Interaction) async throws {
    try await slot.signOut(interaction: interaction).value
  }

  // MARK: The slot

  @GLibActor
  var slot: CredentialSlot {
    if case .connected(let slot, _) = link.state { return slot }
    let slot = SlotRegistry.slot(for: configuration)
    link.state = .connected(slot, slot.observe { [weak self] in self?.show(Snapshot($0)) })
    show(Snapshot(slot.state))
    return slot
  }

  @GLibActor
  private func connect() async {
    await slot.look()
  }

  private func show(_ snapshot: Snapshot) {
    change { $0 = snapshot }
  }

  private func change(_ body: (inout Snapshot) -> Void) {
    let old = shown.withLock { $0.snapshot }
    var new = old
    body(&new)
    let changed = Member.all.filter { $0.hasChanged(old, new) }
    // Without the lock: who is told may read at once.
    for member in changed { member.willSet(registrar, self) }
    shown.withLock { shown in
      body(&shown.snapshot)
      for listener in shown.listeners.values { listener.yield(shown.snapshot) }
    }
    for member in changed { member.didSet(registrar, self) }
  }
}

/// A session's hold on its slot.
@GLibActor
private final class SlotLink {
  enum State {
    case unconnected
    case connected(CredentialSlot, Observation)
  }

  var state = State.unconnected

  nonisolated init() {}
}

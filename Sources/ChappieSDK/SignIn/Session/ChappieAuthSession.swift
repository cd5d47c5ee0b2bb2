// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Observation
import Synchronization

/// The sign-in of one credential slot: its state and the operations that change it.
///
/// Sessions are independent objects. Sessions with the same application and keychain fields share one credential. A new
/// session reads the keyring, so a returning user is signed in at once. A session shows another process's change to the
/// credential within a second.
///
/// Observe a session with `withObservationTracking`, `Observations` or ``updates``. Changes arrive on this library's
/// thread.
public final class ChappieAuthSession: Observable, Sendable {
  /// A session's observable values at one moment.
  public struct Snapshot: Sendable, Hashable {
    /// As ``ChappieAuthSession/state``.
    public let state: ChappieAuthState
    /// As ``ChappieAuthSession/deviceLinkState``.
    public let deviceLinkState: ChappieDeviceLinkState
    /// The code of the running sign-in. Nil before it is known and after the sign-in has ended.
    public var deviceCode: ChappieDeviceCode? { signInStep?.deviceCode }
    /// The page of the running sign-in in the browser. Nil before it is known and after the sign-in has ended.
    public var browserPage: ChappieBrowserPage? { signInStep?.browserPage }
    /// What the running sign-in asks of the user, or has asked.
    package let signInStep: SignInStep?
    /// Whether the running sign-in, or the last one, has shown a page in the browser.
    let hasShownPage: Bool
    /// As ``ChappieAuthSession/signInMethod``.
    public let signInMethod: ChappieSignInMethod?
    /// As ``ChappieAuthSession/planUse``.
    public let planUse: ChappiePlanUse
    /// As ``ChappieAuthSession/manageUsageURL``.
    public let manageUsageURL: ChappieAddress?
    /// Whether the user must have allowed requests while nobody is present.
    package let needsBackgroundConsent: Bool
    /// The rule of the stored credential. Nil where there is none that can be used, or the keyring has not shown it.
    package let usableRule: ChappieKeychainAccessibility?
    /// As ``ChappieAuthSession/accountInfo``.
    public let accountInfo: ChappieAccountInfo?
    /// As ``ChappieAuthSession/lastError``.
    public fileprivate(set) var lastError: ChappieAuthError?

    init(_ state: SlotState) {
      self.state = state.state
      deviceLinkState = state.deviceLinkState
      signInStep = state.signInStep
      hasShownPage = state.hasShownPage
      signInMethod = state.holding?.method
      planUse = state.planUse
      manageUsageURL = state.holding?.manageUsageURL.map { ChappieAddress(address: $0) }
      needsBackgroundConsent = state.holding?.needsBackgroundConsent ?? false
      usableRule = if case .present = state.stored { state.holding?.accessibility } else { nil }
      accountInfo = state.accountInfo
      lastError = state.lastError.map { ChappieAuthError($0) }
    }
  }

  /// The session's values: the slot's state, held by the slot alone, and this session's own error.
  private struct View: Sendable {
    /// Nil before the session's first use of it.
    var slot: CredentialSlot?
    var observation: Observation?
    /// An error of this session alone. It lasts until the slot's state changes.
    var ownError: ChappieAuthError?
    var listeners: [Int: AsyncStream<Snapshot>.Continuation] = [:]
    var nextListener = 0

    var snapshot: Snapshot { snapshot(of: slot?.state ?? SlotState()) }

    func snapshot(of state: SlotState) -> Snapshot {
      var snapshot = Snapshot(state)
      if let ownError { snapshot.lastError = ownError }
      return snapshot
    }
  }

  /// The longest time that ``signOut()`` blocks its caller.
  private static let signOutPatience = Duration.seconds(1)

  /// The configuration with which the session was made.
  public let configuration: ChappieConfiguration
  private let view = Mutex(View())
  private let registrar = ObservationRegistrar()

  init(configuration: ChappieConfiguration) {
    self.configuration = configuration
    Task.onGLib { [weak self] in await self?.slot.look() }
  }

  /// Blocks the calling thread until the first read of the keyring ends, for at most `patience`. Returns at once on the
  /// library's own thread, because that thread does the read.
  func waitForFirstReading(atMost patience: Duration) {
    _ = GLibActor.block(atMost: patience) { await self.slot.look() }
  }

  deinit {
    for listener in view.withLock({ $0.listeners.values }) { listener.finish() }
  }

  // MARK: Reading

  /// All values below at one moment.
  public var snapshot: Snapshot { read(\.snapshot) }
  /// The state of the sign-in. During a new sign-in it is ``ChappieAuthState/signingIn``, with or without a stored
  /// credential.
  public var state: ChappieAuthState { read(\.state).state }
  /// The progress of the running sign-in, or the result of the last one in this process. It is
  /// ``ChappieDeviceLinkState/idle`` before the first one and after a sign-out.
  public var deviceLinkState: ChappieDeviceLinkState { read(\.deviceLinkState).deviceLinkState }
  /// The code of the running sign-in. Nil before it is known and after the sign-in has ended.
  public var deviceCode: ChappieDeviceCode? { read(\.deviceCode).deviceCode }
  /// The page of the running sign-in in the browser. Nil before it is known and after the sign-in has ended.
  public var browserPage: ChappieBrowserPage? { read(\.browserPage).browserPage }
  /// The method of the stored sign-in. Nil if there is none, or while the keyring has not shown it.
  public var signInMethod: ChappieSignInMethod? { read(\.signInMethod).signInMethod }
  /// Whether requests may use the user's plan, as far as the sign-in and the last answers tell.
  public var planUse: ChappiePlanUse { read(\.planUse).planUse }
  /// The page on which the user sees and limits the plan's usage by this application. Nil if the sign-in has none.
  public var manageUsageURL: ChappieAddress? { read(\.manageUsageURL).manageUsageURL }
  /// The account of the stored credential. Nil if there is none, or while the keyring has not shown it.
  public var accountInfo: ChappieAccountInfo? { read(\.accountInfo).accountInfo }
  /// The latest error of a sign-in, sign-out, refresh or read of the keyring. A new sign-in clears it, and so does a
  /// refresh or sign-out that succeeds. The next good read clears an error of the keyring.
  public var lastError: ChappieAuthError? { read(\.lastError).lastError }

  /// Returns the snapshot and registers an access to `member`.
  private func read<Value>(_ member: KeyPath<ChappieAuthSession, Value>) -> Snapshot {
    registrar.access(self, keyPath: member)
    return view.withLock { $0.snapshot }
  }

  /// A new stream of the present snapshot and each later one. A slow reader gets the newest and misses those between.
  /// The stream ends when the session is released.
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

  /// Calls `observer` after each change of ``snapshot`` with the old and the new one, for as long as the caller keeps
  /// the result.
  @GLibActor
  package func observe(_ observer: @escaping @GLibActor (_ old: Snapshot, _ new: Snapshot) -> Void) -> Observation {
    slot.observe { observer(Snapshot($0.old), Snapshot($0.new)) }
  }

  /// Waits until the keyring has been read, and returns the state.
  ///
  /// - Returns: the state; ``ChappieAuthState/restoring`` if the keyring has never answered.
  @GLibActor
  @discardableResult
  public func restored() async -> ChappieAuthState {
    await slot.look()
    return state
  }

  // MARK: Acting

  /// Starts a sign-in and returns as soon as its code is known. The sign-in continues until the user has approved or
  /// declined the code, or the code expires after 15 minutes. ``deviceLinkState`` shows its progress.
  ///
  /// While a sign-in runs, this method returns its code and starts no other. The stored credential stays until the new
  /// sign-in succeeds. Then the server is asked to revoke it.
  ///
  /// - Parameter allowsAnotherAccount: whether another account may replace the one of this slot.
  /// - Returns: the code for the user to enter, and the address of the page for it.
  /// - Throws: ``ChappieAuthError`` if the keyring cannot be used or the server gives no code; `CancellationError`.
  @GLibActor
  @discardableResult
  public func startDeviceCodeSignIn(allowsAnotherAccount: Bool = false) async throws -> ChappieDeviceCode {
    try await startDeviceCodeSignIn(allowsAnotherAccount: allowsAnotherAccount, interaction: .forbidden)
  }

  /// Does the same as the public form. `interaction` decides whether the keyring may prompt for its password.
  @GLibActor
  package func startDeviceCodeSignIn(
    allowsAnotherAccount: Bool = false, interaction: UserInteraction
  ) async throws -> ChappieDeviceCode {
    var options = SignInOptions(applicationName: "")
    options.allowsAnotherAccount = allowsAnotherAccount
    return try await ChappieAuthError.converting { [options] in
      try await slot.startSignIn(
        .deviceCode, options, configuration.keychainAccessibility, interaction, showing: \.signInStep?.deviceCode)
    }
  }

  /// Starts a sign-in in the browser and returns as soon as its page is known. The sign-in continues until the user has
  /// approved or declined it on the page, or 10 minutes have passed. ``deviceLinkState`` shows its progress.
  ///
  /// The browser returns to a listener of this process on 127.0.0.1. The application is registered for the user under
  /// ``ChappieConfiguration/applicationName`` at the first time; later sign-ins of the slot use the same registration.
  /// While such a sign-in runs, this method returns its page and starts no other; it ends one with a code. The stored
  /// credential stays until the new sign-in succeeds.
  ///
  /// - Parameters:
  ///   - opensBrowser: whether the page is opened in the user's browser.
  ///   - asksForPlanUse: whether the user is asked again to allow the use of the plan.
  ///   - allowsAnotherAccount: whether another account may replace the one of this slot.
  ///   - registersAnew: whether the application is connected anew. Without it the sign-in cannot succeed after the user
  ///     has removed the application in ChatGPT's settings: the page shows an error, and the browser does not return.
  ///   - activationToken: the XDG activation token of the user's action, which lets the browser raise its window.
  /// - Returns: the page, to open by hand, and the end of the attempt.
  /// - Throws: ``ChappieAuthError`` if the keyring cannot be used or the server cannot be reached; `CancellationError`.
  @GLibActor
  @discardableResult
  public func startBrowserSignIn(
    opensBrowser: Bool = true, asksForPlanUse: Bool = false, allowsAnotherAccount: Bool = false,
    registersAnew: Bool = false, activationToken: String? = nil
  ) async throws -> ChappieBrowserPage {
    var options = SignInOptions(
      applicationName: configuration.applicationID.named(configuration.applicationName))
    options.openPage = opensBrowser ? Self.openPage : nil
    options.asksForPlanUse = asksForPlanUse
    options.allowsAnotherAccount = allowsAnotherAccount
    options.registersAnew = registersAnew
    options.activationToken = activationToken
    return try await startBrowserSignIn(options, interaction: .forbidden)
  }

  private static let openPage: SignInOptions.OpenPage = { address, activationToken in
    guard let page = WebPageAddress(address) else { return }
    do {
      try await Browser.open(page, activationToken: activationToken)
    } catch {
      Log.notice("The browser did not open, so the user has to open the page of the sign-in.")
    }
  }

  /// Does the same as the public form. `interaction` decides whether the keyring may prompt for its password.
  @GLibActor
  package func startBrowserSignIn(_ options: SignInOptions, interaction: UserInteraction) async throws
    -> ChappieBrowserPage
  {
    try await ChappieAuthError.converting {
      try await slot.startSignIn(
        .browser, options, configuration.keychainAccessibility, interaction, showing: \.signInStep?.browserPage)
    }
  }

  /// Completes a sign-in whose page was approved in a browser on another machine, which could not return to this one.
  ///
  /// - Parameter address: the whole address at which that browser arrived: it begins with `http://127.0.0.1`.
  /// - Throws: ``ChappieAuthError/invalidAddress(_:)`` for another address, or when no sign-in waits for one. A running
  ///   sign-in goes on.
  @GLibActor
  public func completeBrowserSignIn(_ address: String) throws {
    guard let method = slot.methods[.browser] else { throw ChappieAuthError.noBrowserSignIn }
    try method.complete(address)
  }

  /// Cancels a running sign-in, soon after this method returns. The stored credential stays.
  public func cancelSignIn() {
    Task.onGLib { cancelSignInAtOnce() }
  }

  /// Cancels a running sign-in before this returns, and does not wait for its end. A sign-in that is started after this
  /// is a new one.
  @GLibActor
  package func cancelSignInAtOnce() {
    slot.cancelSignIn()
  }

  /// Removes this slot's credential and no other, then asks the server to revoke it. A running sign-in is cancelled.
  ///
  /// The credential is removed when this method returns. The revocation continues afterwards, while the program runs.
  /// If the removal fails, ``lastError`` gives the reason and ``state`` stays; ``signOutAndWait()`` throws that error.
  /// If only the revocation fails, ``lastError`` later becomes ``ChappieAuthError/revocationFailed(_:)``. A credential
  /// that cannot be read now, such as one from another device, is removed without a revocation.
  ///
  /// This method blocks its thread, even the main thread, until the keyring has removed the credential: usually for
  /// milliseconds, for one second at most. After that it returns, ``lastError`` reports the delay, and the removal
  /// continues. On the library's own thread, such as in an observer of a session, it cannot block: it starts the removal
  /// and returns. ``signOutAndWait()`` blocks no thread.
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

  /// Removes the credential as ``signOut()`` does, and then waits up to 10 seconds for the server to revoke it. If the
  /// server does not, ``lastError`` is ``ChappieAuthError/revocationFailed(_:)``, and this method does not throw.
  ///
  /// - Throws: ``ChappieAuthError`` if the credential could not be removed.
  @GLibActor
  public func signOutAndWait() async throws {
    try await signOutAndWait(interaction: .forbidden)
  }

  @GLibActor
  package func signOutAndWait(interaction: UserInteraction) async throws {
    try await ChappieAuthError.converting { try await slot.signOut(interaction: interaction).value }
  }

  // MARK: The slot

  @GLibActor
  var slot: CredentialSlot {
    if let slot = view.withLock({ $0.slot }) { return slot }
    let slot = SlotRegistry.slot(for: configuration)
    let observation = slot.observe { [weak self] in self?.slotChanged($0) }
    let old = view.withLock { view in
      let old = view.snapshot
      view.slot = slot
      view.observation = observation
      return old
    }
    notify(from: old, to: Snapshot(slot.state))
    return slot
  }

  private func slotChanged(_ change: CredentialSlot.Change) {
    let old = view.withLock { view in
      let old = view.snapshot(of: change.old)
      view.ownError = nil
      return old
    }
    notify(from: old, to: Snapshot(change.new))
  }

  /// Notifies observers and listeners of a change.
  private func notify(from old: Snapshot, to new: Snapshot) {
    let changed = Member.all.filter { $0.hasChanged(old, new) }
    // The lock is free here, because an observer may read at once.
    for member in changed { member.willSet(registrar, self) }
    view.withLock { view in
      for listener in view.listeners.values { listener.yield(view.snapshot) }
    }
    for member in changed { member.didSet(registrar, self) }
  }
}

extension ChappieAuthSession {
  /// An observable property.
  struct Member: Sendable {
    let hasChanged: @Sendable (Snapshot, Snapshot) -> Bool
    let willSet: @Sendable (ObservationRegistrar, ChappieAuthSession) -> Void
    let didSet: @Sendable (ObservationRegistrar, ChappieAuthSession) -> Void

    init<Value: Equatable & SendableMetatype>(
      _ member: any KeyPath<ChappieAuthSession, Value> & Sendable, _ value: any KeyPath<Snapshot, Value> & Sendable
    ) {
      hasChanged = { $0[keyPath: value] != $1[keyPath: value] }
      willSet = { registrar, session in registrar.willSet(session, keyPath: member) }
      didSet = { registrar, session in registrar.didSet(session, keyPath: member) }
    }

    static let all = [
      Member(\.snapshot, \.self), Member(\.state, \.state), Member(\.deviceLinkState, \.deviceLinkState),
      Member(\.deviceCode, \.deviceCode), Member(\.browserPage, \.browserPage),
      Member(\.signInMethod, \.signInMethod), Member(\.planUse, \.planUse),
      Member(\.manageUsageURL, \.manageUsageURL), Member(\.accountInfo, \.accountInfo),
      Member(\.lastError, \.lastError),
    ]
  }
}

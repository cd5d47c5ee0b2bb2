import GLibBridge
import Platform
import SecretMemory

/// One stored credential and everything that happens to it: reading, signing in, renewing, signing out.
///
/// All sessions and clients of a process with the same slot share one of these, so that one refresh runs at a time.
@GLibActor
final class CredentialSlot {
  private enum SignIn {
    case none
    case running(Task<Void, Never>)
  }

  let identity: SlotIdentity
  let method: any SignInMethod
  private let store: any CredentialStore
  private let vault: SlotVault<Credential>
  private let gate: LockGate
  private var signIn = SignIn.none
  private var refreshing: Task<AccessGrant, any Error>?
  private var unstored: UnstoredCredential?
  private var unstoredRefusal: UnstoredRefusal?
  private let clock: @Sendable () -> BootTime
  private let observers = Observers<SlotState>()
  private var attachments: [ObjectIdentifier: AnyObject] = [:]
  /// How often this process has changed what is stored. What was read before the last time is no news.
  private var ownChanges = 0
  /// Those that are under way: what is read meanwhile may be half of one.
  private var changesUnderWay = 0
  private var hasMissedLook = false
  private var looking: Task<Void, Never>?

  private(set) var state = SlotState() {
    didSet {
      guard state != oldValue else { return }
      observers.notify(state)
    }
  }

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

  /// Calls `observer` with each new state, for as long as the result is kept.
  func observe(_ observer: @escaping @GLibActor (SlotState) -> Void) -> Observation {
    observers.observe(observer)
  }

  /// What another part of this library keeps for as long as this slot is in use: one object of each type, which `make`
  /// makes when it is first asked for.
  func attached<Attached: AnyObject>(_ make: () -> Attached) -> Attached {
    let type = ObjectIdentifier(Attached.self)
    if let known = attachments[type] as? Attached { return known }
    let new = make()
    attachments[type] = new
    return new
  }

  // MARK: Reading

  /// Learns what the keyring holds. Changes nothing that is known when the keyring does not answer.
  func restore() async {
    defer { MemoryHygiene.wipeStack() }
    _ = try? await read()
  }

  /// Learns what others have made of the slot since it was last read. A keyring that tells nothing now changes nothing.
  func look() async {
    let task = looking ?? startLooking()
    await task.value
  }

  private func startLooking() -> Task<Void, Never> {
    let task = Task.onGLib {
      if state.state == .restoring { await restore() } else { await lookQuietly() }
      looking = nil
    }
    looking = task
    return task
  }

  /// Somebody has changed what is stored.
  func changedInStore() async {
    // A look that is under way may have been too early.
    await looking?.value
    await look()
  }

  /// Nobody has asked for anything: what cannot be read now is no failure.
  private func lookQuietly() async {
    defer { MemoryHygiene.wipeStack() }
    let changes = ownChanges
    guard let finding = try? await find(.forbidden) else { return }
    guard changesUnderWay == 0 else { return hasMissedLook = true }
    guard changes == ownChanges else { return }
    switch finding {
    case .secret(let credential, _): state.apply(found(credential))
    case .locked: state.apply(.foundLocked)
    case .hidden: break
    case .none: state.apply(.foundNone)
    case .unusable(let reason): state.apply(.foundUnusable(reason: reason))
    }
  }

  private func beginChange() {
    changesUnderWay += 1
    ownChanges += 1
  }

  private func endChange() {
    changesUnderWay -= 1
    guard changesUnderWay == 0, hasMissedLook else { return }
    hasMissedLook = false
    Task.onGLib { await look() }
  }

  /// Looks again when the lock or the keyring has changed, and what was seen before is not all there is to know.
  func lockChanged() async {
    await storeWhatIsUnstored()
    switch state.lastError {
    case .locked, .keyringUnavailable: await restore()
    // Also where there was no credential: another keyring may be there now.
    default: if state.accountInfo == nil { await restore() }
    }
  }

  /// The stored credential and the rule it was stored under.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  private func read(interaction: SecretServiceClient.Interaction = .forbidden) async throws
    -> (Credential, ChappieKeychainAccessibility)
  {
    let finding: SlotVault<Credential>.Finding
    do {
      finding = try await find(interaction)
    } catch let error as SecretStoreError {
      recall()
      state.apply(.storeFailed(error.authError))
      LockMonitor.shared.lookAtKeyring()
      throw error.clientError
    }
    switch finding {
    case .secret(let credential, let accessibility):
      state.apply(found(credential))
      return (credential, accessibility)
    case .locked(let error):
      state.apply(.foundLocked)
      throw noted(error)
    case .hidden(let error):
      recall()
      throw noted(error)
    case .none:
      state.apply(.foundNone)
      throw ChappieClientError.missingCredential
    case .unusable(let reason):
      state.apply(.foundUnusable(reason: reason))
      throw ChappieClientError.missingCredential
    }
  }

  /// What the store has for the servers of this slot: a credential for others is of no use, and is sent nowhere.
  private func find(_ interaction: SecretServiceClient.Interaction) async throws -> SlotVault<Credential>.Finding {
    let finding = try await vault.read(identity, interaction: interaction)
    guard case .secret(let credential, _) = finding, credential.servers != method.servers else { return finding }
    return .unusable(reason: Credential.otherServers)
  }

  /// A keyring that tells nothing signs nobody out, also not across a restart.
  private func recall() {
    if store.hadCredential(identity, for: method.servers) { state.apply(.recalled) }
  }

  private func found(_ credential: Credential) -> SlotState.Event {
    credential.refusedAt != nil
      ? .foundRefused(credential.accountInfo, renewedAt: credential.renewedAt)
      : .found(credential.accountInfo, renewedAt: credential.renewedAt)
  }

  private func noted(_ error: ChappieClientError) -> ChappieClientError {
    if let error = error.authError { state.apply(.storeFailed(error)) }
    return error
  }

  // MARK: Using

  /// What a request needs now; renewed first when it is about to expire.
  ///
  /// - Parameter interaction: whether a keyring that is locked may ask the user for its password.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func accessGrant(interaction: SecretServiceClient.Interaction = .forbidden) async throws -> AccessGrant {
    let (credential, _) = try await read(interaction: interaction)
    let grant = AccessGrant(credential)
    if unstored != nil { return try await refresh(replacing: grant) }
    if let refusal = refusal(of: credential) {
      guard mayTryAgain(credential, after: refusal) else { throw reauthenticationRequired }
      return try await refresh(replacing: grant)
    }
    if state.isSpent { throw reauthenticationRequired }
    guard credential.isDue(at: UnixTime.now) else { return grant }
    return try await refresh(replacing: grant)
  }

  /// Another one than `rejected`, whose token the backend answered with 401.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func accessGrant(insteadOf rejected: AccessGrant) async throws -> AccessGrant {
    try await refresh(replacing: rejected, wasRejected: true)
  }

  /// Waits until no answer of the server is under way that this process alone would know of.
  func settle() async {
    _ = await refreshing?.result
    await storeWhatIsUnstored()
  }

  private func storeWhatIsUnstored() async {
    guard let unstored else { return }
    _ = try? await refresh(replacing: AccessGrant(unstored.predecessor.credential))
  }

  private func refresh(replacing old: AccessGrant, wasRejected: Bool = false) async throws -> AccessGrant {
    // A task of its own: a caller that leaves must not stop a refresh whose answer the server already sent.
    let task = refreshing ?? startRefresh(replacing: old, wasRejected: wasRejected)
    try await task.untilEnded()
    return try await task.value
  }

  private func startRefresh(replacing old: AccessGrant, wasRejected: Bool) -> Task<AccessGrant, any Error> {
    let task = Task.onGLib {
      defer {
        refreshing = nil
        MemoryHygiene.wipeStack()
      }
      do {
        return AccessGrant(try await performRefresh(replacing: old, wasRejected: wasRejected))
      } catch let error as SecretStoreError {
        throw noted(error.clientError)
      } catch let error as ChappieAuthError {
        state.apply(.refreshFailed(error))
        throw error.clientError
      }
    }
    refreshing = task
    return task
  }

  private func performRefresh(replacing old: AccessGrant, wasRejected: Bool) async throws -> Credential {
    let lock = try await SlotFileLock.take(identity)
    defer { withExtendedLifetime(lock) {} }
    let (current, accessibility) = try await readToReplace()
    if let unstored {
      if unstored.isNewer(than: current) {
        return try await keep(unstored.credential.credential, unstored.accessibility)
      }
      // Somebody has signed in since.
      self.unstored = nil
      return current
    }
    // Another process was faster.
    guard current.accessToken.isEqual(to: old.accessToken) else { return current }
    let refusal = refusal(of: current)
    if let refusal, !mayTryAgain(current, after: refusal) { throw reauthenticationRequired }
    do {
      // A token is not redeemed while its successor could not be kept.
      try await store.unlock(identity, interaction: .forbidden)
    } catch SecretStoreError.locked where !wasRejected && !current.isExpired(at: UnixTime.now) {
      return current
    }
    do {
      let renewed = try await method.refresh(current)
      if refusal != nil { Log.notice("The server renewed a sign-in that it had refused before.") }
      unstored = UnstoredCredential(
        credential: try PutAwayCredential(renewed), predecessor: try PutAwayCredential(current),
        accessibility: accessibility, slot: self)
      return try await keep(renewed, accessibility)
    } catch let error as ChappieAuthError where error.requiresReauthentication {
      await noteRefusal(of: current, accessibility, error, isFirst: refusal == nil)
      throw reauthenticationRequired
    }
  }

  private func readToReplace() async throws -> (Credential, ChappieKeychainAccessibility) {
    do {
      return try await read()
    } catch ChappieClientError.missingCredential {
      // Somebody has signed out since.
      unstored = nil
      throw ChappieClientError.missingCredential
    }
  }

  /// Stores renewed tokens before anything uses them.
  private func keep(_ renewed: Credential, _ accessibility: ChappieKeychainAccessibility) async throws -> Credential {
    beginChange()
    defer { endChange() }
    try await store.write(renewed, for: identity, accessibility: accessibility, interaction: .forbidden)
    unstored = nil
    unstoredRefusal = nil
    state.apply(.refreshed(renewed.accountInfo))
    return renewed
  }

  // MARK: Refused

  /// The seconds after a refusal in which the server is not asked again, and after which a second one counts.
  static let refusalPause: Int64 = 10 * 60

  /// Keeps that the server refused. One refusal may be a mistake, of the server or of something that stands in for it:
  /// the refresh token leaves the keyring with a second one alone.
  private func noteRefusal(
    of credential: Credential, _ accessibility: ChappieKeychainAccessibility, _ error: ChappieAuthError, isFirst: Bool
  ) async {
    beginChange()
    defer { endChange() }
    var refused = credential
    let now = clock()
    refused.refusedAt = now
    if !isFirst { refused.refreshToken = nil }
    do {
      try await store.write(refused, for: identity, accessibility: accessibility, interaction: .forbidden)
      unstoredRefusal = nil
    } catch {
      unstoredRefusal = UnstoredRefusal(renewedAt: credential.renewedAt, moment: now)
    }
    Log.notice(
      refused.refreshToken != nil
        ? "The server refused to renew a sign-in. It is kept, and tried once more in ten minutes at the earliest."
        : "A sign-in has ended: it cannot be renewed any more.")
    state.apply(.refreshRefused(error, renewedAt: credential.renewedAt))
  }

  /// When `credential` was last refused; nil when it was not.
  private func refusal(of credential: Credential) -> BootTime? {
    if let moment = credential.refusedAt { return moment }
    guard let unstoredRefusal, unstoredRefusal.renewedAt == credential.renewedAt else { return nil }
    return unstoredRefusal.moment
  }

  private func mayTryAgain(_ credential: Credential, after refusal: BootTime) -> Bool {
    credential.refreshToken != nil && clock().secondsAtLeast(since: refusal) >= Self.refusalPause
  }

  private var reauthenticationRequired: ChappieClientError {
    if case .missingRefreshToken = state.lastError { return .missingRefreshToken }
    return .reauthenticationRequired("The sign-in has ended and cannot be renewed: sign in again.")
  }

  // MARK: Signing in and out

  /// Starts a sign-in, or joins the one that runs, and returns its code.
  ///
  /// - Parameter accessibility: the rule that the new credential is stored under.
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func startSignIn(
    _ accessibility: ChappieKeychainAccessibility, interaction: SecretServiceClient.Interaction
  ) async throws -> ChappieDeviceCode {
    // The code of a sign-in that was cancelled is dead, also while that one is still ending.
    if case .running(let task) = signIn, task.isCancelled { await task.value }
    if case .none = signIn {
      state.apply(.signInProgress(.requestingCode))
      let task = Task.onGLib {
        await runSignIn(accessibility, interaction)
        signIn = .none
        MemoryHygiene.wipeStack()
      }
      signIn = .running(task)
    }
    return try await waitForCode()
  }

  func cancelSignIn() {
    if case .running(let task) = signIn { task.cancel() }
  }

  private func runSignIn(
    _ accessibility: ChappieKeychainAccessibility, _ interaction: SecretServiceClient.Interaction
  ) async {
    do {
      // Before the user types a code: a sign-in that cannot be kept is worth nothing.
      try await store.unlock(identity, interaction: await gate.interaction(interaction))
      let credential = try await method.signIn { self.state.apply(.signInProgress($0)) }
      beginChange()
      defer { endChange() }
      try await keepSignIn(credential, accessibility, interaction)
      state.apply(.signedIn(credential.accountInfo))
    } catch {
      state.apply(.signInFailed(ChappieAuthError(error)))
    }
  }

  private func keepSignIn(
    _ credential: Credential, _ accessibility: ChappieKeychainAccessibility,
    _ interaction: SecretServiceClient.Interaction
  ) async throws {
    do {
      let lock = try await SlotFileLock.take(identity)
      defer { withExtendedLifetime(lock) {} }
      let interaction = await gate.interaction(interaction)
      let replaced = await credentialToReplace()
      try Task.checkCancellation()
      // A task of its own: from here on it is too late to cancel, since the store may have taken it already.
      try await Task.onGLib {
        try await store.write(credential, for: identity, accessibility: accessibility, interaction: interaction)
      }.value
      unstored = nil
      // Not before: a sign-in that fails leaves the one before as it was.
      if let replaced, !replaced.sharesToken(with: credential) { revoke(replaced) }
    } catch {
      await revokeUnlessStored(credential)
      throw error
    }
  }

  /// What a new sign-in takes the place of, as far as it may be read now.
  private func credentialToReplace() async -> Credential? {
    if let unstored { return unstored.credential.credential }
    return try? await find(.forbidden).credential
  }

  /// Has the server forget tokens that nobody will ever use. A store that failed may have kept them all the same, in
  /// place of those before.
  private func revokeUnlessStored(_ credential: Credential) async {
    // Also for a sign-in that was cancelled.
    let reading = Task.onGLib { try await vault.read(identity, interaction: .forbidden) }
    switch try? await reading.value {
    case .none?: revoke(credential)
    case .secret(let stored, _)? where !stored.accessToken.isEqual(to: credential.accessToken): revoke(credential)
    case .secret?, .locked?, .hidden?, .unusable?, nil: break
    }
  }

  /// Asks the server to forget tokens, while nobody waits for it.
  ///
  /// - Returns: what went wrong, once it is over; nil for nothing.
  @discardableResult
  private func revoke(_ credential: Credential) -> Task<ChappieAuthError?, Never> {
    Task.onGLib { [method] in
      defer { MemoryHygiene.wipeStack() }
      do {
        try await method.revoke(credential)
        return nil
      } catch {
        let error = ChappieAuthError(error)
        Log.notice("The server was not told to revoke a sign-in that is not used any more: \(error)")
        return error
      }
    }
  }

  private func waitForCode() async throws -> ChappieDeviceCode {
    if let code = state.deviceCode { return code }
    // As it is told: whoever is quick has approved it before this call goes on, and it is shown no more.
    let told = Promise<ChappieDeviceCode?>()
    let observation = observe { state in
      if state.deviceCode != nil || !state.deviceLinkState.isRunning { told.fulfil(state.deviceCode) }
    }
    defer { withExtendedLifetime(observation) {} }
    if state.deviceLinkState.isRunning, let code = try await told.value() { return code }
    throw state.deviceLinkState == .cancelled ? ChappieAuthError.cancelled : state.lastError ?? .cancelled
  }

  /// Removes this slot's credential, then asks the server to revoke it. What may not be read now is removed without.
  ///
  /// - Returns: what ends with the server's answer, once the state says what went wrong.
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  @discardableResult
  func signOut(interaction: SecretServiceClient.Interaction) async throws -> Task<Void, Never> {
    await endWhatIsUnderWay()
    do {
      let interaction = await gate.interaction(interaction)
      // Before the lock: nobody else shall wait for the user.
      if interaction == .allowed { try await store.unlock(identity, interaction: interaction) }
      let lock = try await SlotFileLock.take(identity)
      defer { withExtendedLifetime(lock) {} }
      let finding = try await find(.forbidden)
      beginChange()
      defer { endChange() }
      try await store.delete(identity, interaction: interaction)
      let newest = unstored?.credential.credential ?? finding.credential
      unstored = nil
      state.apply(.signedOut)
      let revocation = newest.map { revoke($0) }
      return Task.onGLib {
        if let error = await revocation?.value { state.apply(.revocationFailed(error)) }
      }
    } catch {
      let error = ChappieAuthError(error)
      state.apply(.storeFailed(error))
      throw error
    }
  }

  /// A sign-in or a refresh that went on would bring back what is about to be removed.
  private func endWhatIsUnderWay() async {
    if case .running(let task) = signIn {
      task.cancel()
      await task.value
    }
    _ = await refreshing?.result
  }
}

extension SlotVault<Credential>.Finding {
  fileprivate var credential: Credential? {
    if case .secret(let credential, _) = self { return credential }
    return nil
  }
}

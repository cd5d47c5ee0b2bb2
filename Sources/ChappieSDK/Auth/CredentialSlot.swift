import GLibBridge
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
  private let accessibility: ChappieKeychainAccessibility
  private let store: any CredentialStore
  private var signIn = SignIn.none
  private var refreshing: Task<Credential, any Error>?
  /// Renewed tokens that the store did not take yet. The server has already forgotten their predecessors.
  private var unstored: Credential?
  private var observers: [Int: @GLibActor (SlotState) -> Void] = [:]
  private var nextObserver = 0

  private(set) var state = SlotState() {
    didSet {
      guard state != oldValue else { return }
      for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer(state) }
    }
  }

  init(
    identity: SlotIdentity, method: any SignInMethod, accessibility: ChappieKeychainAccessibility,
    store: any CredentialStore
  ) {
    self.identity = identity
    self.method = method
    self.accessibility = accessibility
    self.store = store
  }

  // MARK: Observing

  /// Calls `observer` with each new state, until ``removeObserver(_:)``.
  func addObserver(_ observer: @escaping @GLibActor (SlotState) -> Void) -> Int {
    nextObserver += 1
    observers[nextObserver] = observer
    return nextObserver
  }

  func removeObserver(_ id: Int) {
    observers[id] = nil
  }

  // MARK: Reading

  /// Learns what the keyring holds. Changes nothing that is known when the keyring does not answer.
  func restore() async {
    _ = try? await read()
  }

  /// The stored credential.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  private func read() async throws -> Credential {
    let item: StoredItem
    do {
      item = try await store.find(identity)
    } catch let error as SecretStoreError {
      state.apply(.storeFailed(error.authError))
      throw error.clientError
    }
    switch item {
    case .credential(let credential):
      state.apply(.found(credential.accountInfo, renewedAt: credential.renewedAt))
      return credential
    case .locked:
      state.apply(.foundLocked)
      state.apply(.storeFailed(SecretStoreError.locked.authError))
      throw SecretStoreError.locked.clientError
    case .none:
      state.apply(.foundNone)
      throw ChappieClientError.missingCredential
    case .unusable(let reason):
      state.apply(.foundUnusable(reason: reason))
      throw ChappieClientError.missingCredential
    }
  }

  // MARK: Using

  /// A credential that is good for a request now; renewed first when it is about to expire.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func credential() async throws -> Credential {
    if let unstored { return try await keep(unstored) }
    let credential = try await read()
    if state.state == .reauthenticationRequired { throw reauthenticationRequired }
    guard credential.isDue(at: UnixTime.now) else { return credential }
    return try await refresh(replacing: credential)
  }

  /// A credential other than `rejected`, which the backend answered with 401.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func credential(insteadOf rejected: Credential) async throws -> Credential {
    try await refresh(replacing: rejected)
  }

  private func refresh(replacing old: Credential) async throws -> Credential {
    if let refreshing { return try await refreshing.value }
    // A task of its own: a caller that leaves must not stop a refresh whose answer the server already sent.
    let task = Task { @GLibActor in
      defer { refreshing = nil }
      return try await performRefresh(replacing: old)
    }
    refreshing = task
    return try await task.value
  }

  private func performRefresh(replacing old: Credential) async throws -> Credential {
    let current = try await read()
    guard current.accessToken.isEqual(to: old.accessToken) else { return current }
    do {
      let renewed = try await method.refresh(current)
      return try await keep(renewed)
    } catch let error as ChappieAuthError {
      guard error.requiresReauthentication else {
        state.apply(.refreshFailed(error))
        throw error.clientError
      }
      state.apply(.refreshRefused(error, renewedAt: current.renewedAt))
      throw reauthenticationRequired
    }
  }

  /// Stores renewed tokens before anything uses them.
  private func keep(_ renewed: Credential) async throws -> Credential {
    unstored = renewed
    do {
      try await store.write(renewed, for: identity, accessibility: accessibility, interaction: .forbidden)
    } catch let error as SecretStoreError {
      state.apply(.storeFailed(error.authError))
      throw error.clientError
    }
    unstored = nil
    state.apply(.refreshed(renewed.accountInfo))
    return renewed
  }

  private var reauthenticationRequired: ChappieClientError {
    if case .missingRefreshToken = state.lastError { return .missingRefreshToken }
    return .reauthenticationRequired("The sign-in has ended and cannot be renewed: sign in again.")
  }

  // MARK: Signing in and out

  /// Starts a sign-in, or joins the one that runs, and returns its code.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func startSignIn(interaction: SecretServiceClient.Interaction) async throws -> ChappieDeviceCode {
    if case .none = signIn {
      state.apply(.signInProgress(.requestingCode))
      let task = Task { @GLibActor in
        await runSignIn(interaction)
        signIn = .none
      }
      signIn = .running(task)
    }
    return try await waitForCode()
  }

  func cancelSignIn() {
    if case .running(let task) = signIn { task.cancel() }
  }

  private func runSignIn(_ interaction: SecretServiceClient.Interaction) async {
    do {
      // Before the user types a code: a sign-in that cannot be kept is worth nothing.
      try await store.unlock(interaction: interaction)
      let credential = try await method.signIn { self.state.apply(.signInProgress($0)) }
      try await keepSignIn(credential, interaction)
      state.apply(.signedIn(credential.accountInfo))
    } catch {
      state.apply(.signInFailed(Self.authError(error)))
    }
  }

  private func keepSignIn(_ credential: Credential, _ interaction: SecretServiceClient.Interaction) async throws {
    do {
      try await store.write(credential, for: identity, accessibility: accessibility, interaction: interaction)
      unstored = nil
    } catch {
      // Nobody will ever use these tokens.
      Task { @GLibActor [method] in await method.revoke(credential) }
      throw error
    }
  }

  private func waitForCode() async throws -> ChappieDeviceCode {
    let wait = Wait()
    let observer = addObserver { state in
      if state.deviceCode != nil || !state.deviceLinkState.isRunning { wait.finish() }
    }
    defer { removeObserver(observer) }
    if state.deviceCode == nil, state.deviceLinkState.isRunning { await wait.value() }
    if let code = state.deviceCode { return code }
    throw state.deviceLinkState == .cancelled ? ChappieAuthError.cancelled : state.lastError ?? .cancelled
  }

  /// Removes this slot's credential, then asks the server to revoke it.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func signOut(interaction: SecretServiceClient.Interaction) async throws {
    cancelSignIn()
    do {
      if interaction == .allowed { try await store.unlock(interaction: interaction) }
      let item = try await store.find(identity)
      try await store.delete(identity, interaction: interaction)
      unstored = nil
      state.apply(.signedOut)
      guard case .credential(let credential) = item else { return }
      Task { @GLibActor [method] in await method.revoke(credential) }
    } catch {
      let error = Self.authError(error)
      state.apply(.storeFailed(error))
      throw error
    }
  }

  private static func authError(_ error: any Error) -> ChappieAuthError {
    switch error {
    case let error as ChappieAuthError: error
    case let error as SecretStoreError: error.authError
    case is CancellationError: .cancelled
    default: .invalidResponse("\(error)")
    }
  }
}

extension SecretStoreError {
  private var text: String {
    switch self {
    case .locked: "The keyring is locked: unlock it and try again."
    case .unavailable(let reason): "The keyring cannot be used (\(reason)): start or repair it and try again."
    }
  }

  var authError: ChappieAuthError {
    switch self {
    case .locked: .locked(text)
    case .unavailable: .keyringUnavailable(text)
    }
  }

  var clientError: ChappieClientError {
    switch self {
    case .locked: .locked(text)
    case .unavailable: .keyringUnavailable(text)
    }
  }
}

extension ChappieAuthError {
  /// The same failure as a request meets it.
  var clientError: ChappieClientError {
    switch self {
    case .missingRefreshToken: .missingRefreshToken
    case .locked(let message): .locked(message)
    case .keyringUnavailable(let message): .keyringUnavailable(message)
    case .tokenExchangeFailed(let status, let message): .httpError(status, message)
    default: .network(description)
    }
  }
}

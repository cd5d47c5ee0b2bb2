// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Signs in. The old credential stays until the new one is stored.
extension CredentialSlot {
  /// Starts a sign-in with a code or joins a running one, and returns its code. It ends one with another method.
  ///
  /// - Parameter accessibility: the rule for storing the new credential.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func startSignIn(
    _ accessibility: ChappieKeychainAccessibility, _ options: SignInOptions = SignInOptions(applicationName: ""),
    interaction: UserInteraction
  ) async throws -> ChappieDeviceCode {
    try await start(.deviceCode, options, accessibility, interaction, showing: \.deviceCode)
  }

  /// Starts a sign-in in the browser or joins a running one, and returns its page. It ends one with another method.
  ///
  /// - Parameter accessibility: the rule for storing the new credential.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func startBrowserSignIn(
    _ options: SignInOptions, _ accessibility: ChappieKeychainAccessibility, interaction: UserInteraction
  ) async throws -> ChappieBrowserPage {
    try await start(.browser, options, accessibility, interaction, showing: \.browserPage)
  }

  /// Takes the address at which a browser on another machine arrived.
  ///
  /// - Throws: ``CredentialError``.
  func completeBrowserSignIn(_ address: String) throws {
    guard let browserReturn else {
      throw CredentialError.signIn(.invalidAddress("no sign-in in the browser waits for an address"))
    }
    do {
      try browserReturn.complete(address)
    } catch {
      throw CredentialError(error)
    }
  }

  func cancelSignIn() {
    if case .running(_, let task) = signIn { task.cancel() }
  }

  private func start<Shown: Sendable>(
    _ kind: ChappieSignInMethod, _ options: SignInOptions, _ accessibility: ChappieKeychainAccessibility,
    _ interaction: UserInteraction, showing shown: any KeyPath<SlotState, Shown?> & Sendable
  ) async throws -> Shown {
    guard let method = methods[kind] else {
      throw CredentialError.signIn(.invalidResponse("this slot has no such sign-in"))
    }
    // What a cancelled sign-in shows is invalid, even before that sign-in has ended.
    while case .running(let running, let task) = signIn, running != kind || task.isCancelled {
      task.cancel()
      await task.value
    }
    if case .none = signIn {
      apply(.signInProgress(.preparing))
      let task = Task.onGLib {
        await runSignIn(method, options, accessibility, interaction)
        signIn = .none
        MemoryHardening.wipeStack()
      }
      signIn = .running(kind, task)
    }
    return try await wait(showing: shown)
  }

  private func wait<Shown: Sendable>(showing shown: any KeyPath<SlotState, Shown?> & Sendable) async throws -> Shown {
    if let value = state[keyPath: shown] { return value }
    // The value comes from the change itself: a quick user may approve before this call resumes, and the state then
    // no longer shows it.
    let promise = Promise<Shown?>()
    let observation = observe { change in
      let value = change.new[keyPath: shown]
      if value != nil || !change.new.deviceLinkState.isRunning { promise.fulfil(value) }
    }
    defer { withExtendedLifetime(observation) {} }
    if state.deviceLinkState.isRunning, let value = try await promise.value() { return value }
    throw state.deviceLinkState == .cancelled
      ? CredentialError.signIn(.cancelled) : state.lastError ?? .signIn(.cancelled)
  }

  private func runSignIn(
    _ method: any SignInMethod, _ options: SignInOptions, _ accessibility: ChappieKeychainAccessibility,
    _ interaction: UserInteraction
  ) async {
    do {
      // The check comes before the user approves: a sign-in that cannot be stored is useless.
      try await store.prepare(identity, interaction: await gate.interaction(interaction))
      let request = SignInRequest(
        replaced: try? await credentialToReplace(), options: options,
        custody: SlotCustody(slot: self, accessibility: accessibility, interaction: interaction))
      let credential = try await method.signIn(request) { progress in
        if case .waitingForBrowser(_, let way) = progress { self.browserReturn = way }
        self.apply(.signInProgress(progress))
      }
      let replaced = try await changing {
        let replaced = try await keepSignIn(credential, request, accessibility)
        apply(identified(credential) { .signedIn($0) })
        return replaced
      }
      issue = nil
      endBrowserReturn(nil)
      // The old credential is revoked only now, because a failed sign-in must leave it in force.
      Task.onGLib { await revokeUnused([replaced].compactMap(\.self)) }
    } catch {
      let error = CredentialError(error)
      apply(.signInFailed(error))
      endBrowserReturn(ChappieAuthError(error))
      let content = issue?.content
      issue = nil
      // A cancelled sign-in needs the revocation too.
      switch content {
      case .awaited, nil: break
      case .held(let credential), .listed(let credential): Task.onGLib { await revokeUnused([credential]) }
      case .offered(let credential): Task.onGLib { await revokeUnused(doubtful: credential) }
      }
    }
  }

  private func endBrowserReturn(_ error: ChappieAuthError?) {
    browserReturn?.end(error)
    browserReturn = nil
  }

  /// Stores a new sign-in, under the lock of its issue.
  ///
  /// - Returns: the credential that it has replaced.
  private func keepSignIn(
    _ credential: Credential, _ request: SignInRequest, _ accessibility: ChappieKeychainAccessibility
  ) async throws -> Credential? {
    let replaced: Credential?
    do {
      replaced = try await credentialToReplace(else: request.replaced)
    } catch CredentialError.locked where request.options.allowsAnotherAccount || isOfKnownAccount(credential) {
      replaced = nil
    }
    guard request.options.allowsAnotherAccount || replaced.map({ mayReplace($0, credential) }) ?? true else {
      throw ChappieAuthError.accountMismatch
    }
    try Task.checkCancellation()
    // One without a refresh token has ended, or nobody can end it.
    let unused = replaced.flatMap { $0.refreshToken == nil || $0.sharesToken(with: credential) ? nil : $0 }
    // The write is a task of its own: the store may have the credential already, so cancelling is too late.
    try await Task.onGLib {
      // A keyring that is locked or gone by now takes nothing, and the sign-in is ended at once.
      try await store.unlock(identity, interaction: .forbidden)
      // A keyring that has not taken the new one does not take the old one either.
      if let unused, case .listed? = issue?.content { await list(unused, accessibility) }
      issue?.content = .offered(credential)
      try await store.write(credential, for: identity, accessibility: accessibility, interaction: .forbidden)
      try? await unlist(credential, accessibility)
    }.value
    pending = nil
    return unused
  }

  /// Whether a new credential is of the account that the slot had when its credential could be read.
  private func isOfKnownAccount(_ credential: Credential) -> Bool {
    guard let old = state.accountInfo, let new = methods[credential]?.account(of: credential) else { return false }
    if let id = old.userID, id == new.userID { return true }
    return old.email != nil && old.email?.lowercased() == new.email?.lowercased()
  }

  /// Whether the account of a new credential is, as far as they tell, the one of the old.
  private func mayReplace(_ old: Credential, _ new: Credential) -> Bool {
    guard let oldInfo = methods[old]?.account(of: old), let newInfo = methods[new]?.account(of: new) else {
      return true
    }
    // An issuer that registers applications names a user for each of them otherwise.
    if old.method == new.method, old.registration?.clientID == new.registration?.clientID,
      let oldID = oldInfo.userID, let newID = newInfo.userID
    {
      return oldID == newID
    }
    guard let oldAddress = oldInfo.email, let newAddress = newInfo.email else { return true }
    return oldAddress.lowercased() == newAddress.lowercased()
  }

  /// The credential that a new sign-in will replace.
  ///
  /// - Parameter known: the one of an earlier time, which counts where the store does not tell.
  /// - Throws: ``CredentialError`` where nobody knows, `CancellationError`.
  private func credentialToReplace(else known: Credential? = nil) async throws -> Credential? {
    if let pending { return pending.credential.credential }
    switch try await find(.forbidden) {
    case .secret(let credential, _): return credential
    case .none, .unusable: return nil
    case .locked(let error), .hidden(let error):
      guard let known else { throw error }
      return known
    }
  }
}

extension SlotVault<Credential>.Finding {
  var credential: Credential? {
    if case .secret(let credential, _) = self { return credential }
    return nil
  }
}

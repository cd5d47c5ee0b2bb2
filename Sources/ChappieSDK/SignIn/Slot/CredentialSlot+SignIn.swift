import GLibBridge
import Platform
import SecretMemory

/// Signing in. What was stored before stays until the new credential is stored.
extension CredentialSlot {
  /// Starts a sign-in, or joins the one that runs, and returns its code.
  ///
  /// - Parameter accessibility: the rule that the new credential is stored under.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func startSignIn(
    _ accessibility: ChappieKeychainAccessibility, interaction: UserInteraction
  ) async throws -> ChappieDeviceCode {
    // The code of a sign-in that was cancelled is dead, also while that one is still ending.
    if case .running(let task) = signIn, task.isCancelled { await task.value }
    if case .none = signIn {
      apply(.signInProgress(.requestingCode))
      let task = Task.onGLib {
        await runSignIn(accessibility, interaction)
        signIn = .none
        MemoryHardening.wipeStack()
      }
      signIn = .running(task)
    }
    return try await waitForCode()
  }

  func cancelSignIn() {
    if case .running(let task) = signIn { task.cancel() }
  }

  private func waitForCode() async throws -> ChappieDeviceCode {
    if let code = state.deviceCode { return code }
    // From the change itself: a quick user has approved the code before this call goes on, and it is shown no more.
    let code = Promise<ChappieDeviceCode?>()
    let observation = observe { change in
      if change.new.deviceCode != nil || !change.new.deviceLinkState.isRunning { code.fulfil(change.new.deviceCode) }
    }
    defer { withExtendedLifetime(observation) {} }
    if state.deviceLinkState.isRunning, let code = try await code.value() { return code }
    throw state.deviceLinkState == .cancelled
      ? CredentialError.signIn(.cancelled) : state.lastError ?? .signIn(.cancelled)
  }

  private func runSignIn(_ accessibility: ChappieKeychainAccessibility, _ interaction: UserInteraction) async {
    do {
      // Before the user types a code: a sign-in that cannot be stored is worth nothing.
      try await store.unlock(identity, interaction: await gate.interaction(interaction))
      let credential = try await method.signIn { self.apply(.signInProgress($0)) }
      try await changing {
        try await keepSignIn(credential, accessibility, interaction)
        apply(.signedIn(credential.accountInfo))
      }
    } catch {
      apply(.signInFailed(CredentialError(error)))
    }
  }

  private func keepSignIn(
    _ credential: Credential, _ accessibility: ChappieKeychainAccessibility, _ interaction: UserInteraction
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
      pending = nil
      // Not before: a sign-in that fails leaves the one before as it was.
      if let replaced, !replaced.sharesToken(with: credential) { revoke(replaced) }
    } catch {
      await revokeUnlessStored(credential)
      throw error
    }
  }

  /// What a new sign-in takes the place of, as far as it may be read now.
  private func credentialToReplace() async -> Credential? {
    if let pending { return pending.credential.credential }
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
}

extension SlotVault<Credential>.Finding {
  var credential: Credential? {
    if case .secret(let credential, _) = self { return credential }
    return nil
  }
}

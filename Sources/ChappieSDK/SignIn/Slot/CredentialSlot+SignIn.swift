import GLibBridge
import Platform
import SecretMemory

/// Signs in. The old credential stays until the new one is stored.
extension CredentialSlot {
  /// Starts a sign-in or joins a running one, and returns its code.
  ///
  /// - Parameter accessibility: the rule for storing the new credential.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func startSignIn(
    _ accessibility: ChappieKeychainAccessibility, interaction: UserInteraction
  ) async throws -> ChappieDeviceCode {
    // The code of a cancelled sign-in is invalid, even before that sign-in has ended.
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
    // The code comes from the change itself: a quick user may approve it before this call resumes, and the state then
    // no longer shows it.
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
      // The check comes before the user enters a code: a sign-in that cannot be stored is useless.
      try await store.prepare(identity, interaction: await gate.interaction(interaction))
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
      // The write is a task of its own: the store may have the credential already, so cancelling is too late.
      try await Task.onGLib {
        try await store.write(credential, for: identity, accessibility: accessibility, interaction: interaction)
      }.value
      pending = nil
      // The old credential is revoked only now, because a failed sign-in must leave it in force.
      if let replaced, !replaced.sharesToken(with: credential) { revoke(replaced) }
    } catch {
      await revokeUnlessStored(credential)
      throw error
    }
  }

  /// The credential that a new sign-in will replace, if it can be read now.
  private func credentialToReplace() async -> Credential? {
    if let pending { return pending.credential.credential }
    return try? await find(.forbidden).credential
  }

  /// Asks the server to revoke tokens that nobody will use. A store that reported a failure may still have replaced the
  /// old credential.
  private func revokeUnlessStored(_ credential: Credential) async {
    // A cancelled sign-in needs the revocation too.
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

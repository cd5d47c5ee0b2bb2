// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Signs in and out.
extension CredentialSlot {
  // MARK: Signing in

  /// Starts a sign-in or joins a running one, and returns what the user needs for it. It ends one with another method.
  ///
  /// - Parameter rule: the rule for storing the new credential.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func startSignIn<Shown: Sendable>(
    _ kind: ChappieSignInMethod, _ options: SignInOptions, _ rule: ChappieKeychainAccessibility,
    _ interaction: UserInteraction, showing shown: any KeyPath<SlotState, Shown?> & Sendable
  ) async throws -> Shown {
    guard let method = methods[kind] else {
      throw CredentialError.signIn(.invalidResponse("this slot has no such sign-in"))
    }
    // What a cancelled sign-in shows is invalid, even before that sign-in has ended.
    while let signIn, signIn.method.kind != kind || signIn.task.isCancelled { await end(signIn) }
    if signIn == nil {
      apply(.signInProgress(.preparing))
      let new = SlotSignIn(method, self, options, rule, interaction)
      signIn = new
      _ = new.task
    }
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

  func cancelSignIn() {
    signIn?.task.cancel()
  }

  private func end(_ signIn: SlotSignIn) async {
    signIn.task.cancel()
    await signIn.task.value
  }

  // MARK: Signing out

  /// Removes this slot's credential, then asks the server to revoke it. A credential that cannot be read now is removed
  /// without a revocation.
  ///
  /// - Returns: a task that ends with the server's answer, after the state shows any error.
  /// - Throws: ``CredentialError``.
  @discardableResult
  func signOut(interaction: UserInteraction) async throws(CredentialError) -> Task<Void, Never> {
    await endWhatIsUnderWay()
    do {
      let interaction = await gate.interaction(interaction)
      // The prompt for the password comes before the lock, so no other process waits for the user.
      if interaction == .allowed { try await store.unlock(identity, interaction: interaction) }
      switch try await find(.forbidden) {
      // The lock is a file, and a slot without a credential gets none: anybody can name any number of accounts.
      case .none where pending == nil && !SlotFileLock.wasTaken(identity):
        apply(.signedOut)
        return Task.onGLib { await revokeAll([]) }
      case .hidden(let error): throw error
      case .none, .locked, .unusable, .secret: break
      }
      let lock = try await SlotFileLock.take(identity)
      defer { withExtendedLifetime(lock) {} }
      let finding = try await find(.forbidden)
      // The keyring was locked meanwhile: a credential that it hides would be removed without a revocation.
      if case .hidden(let error) = finding { throw error }
      return try await changing {
        let newest = pending?.credential.credential ?? finding.secret
        if let newest { await list(newest) }
        // A locked item is not deleted, so none asks for its password here. Some keyrings ask the user to confirm it, and
        // that has to be under the lock: what is deleted is what was found.
        try await store.delete(identity, interaction: interaction)
        pending = nil
        apply(.signedOut)
        return Task.onGLib { await revokeAll([newest].compactMap(\.self)) }
      }
    } catch {
      let error = CredentialError(error)
      apply(.storeFailed(error))
      throw error
    }
  }

  /// Ends a running sign-in or refresh, because it would restore the removed credential.
  func endWhatIsUnderWay() async {
    if let signIn { await end(signIn) }
    _ = await refreshing?.result
  }

  // MARK: Revocation

  /// The longest wait of a caller that signs out.
  private static let revocationDeadline = Duration.seconds(10)

  /// A user who signs out leaves no token behind, not even one that the server has not been told of.
  private func revokeAll(_ others: [Credential]) async {
    do {
      guard
        let error = try await withDeadline(Self.revocationDeadline, { await self.revokeUnused(others, isFinal: true) })
      else { return }
      apply(.revocationFailed(error))
    } catch {
      apply(.revocationFailed(.signIn(.revocationFailed("it did not answer in time"))))
    }
  }
}

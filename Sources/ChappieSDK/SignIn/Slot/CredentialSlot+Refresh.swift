import GLibBridge
import Platform
import SecretMemory

/// Refreshes tokens. Each new token is stored and read back before its first use.
extension CredentialSlot {
  /// Returns the present grant. A token near its expiry is refreshed first.
  ///
  /// - Parameter interaction: whether a locked keyring may prompt for its password.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func accessGrant(interaction: UserInteraction = .forbidden) async throws -> AccessGrant {
    let (credential, _) = try await read(interaction: interaction)
    let method = try method(of: credential)
    let grant = method.grant(credential)
    let (now, validity) = (UnixTime.now, method.validity(of: credential))
    if pending != nil { return try await refresh(replacing: grant) }
    if let refusal = refusal(of: credential) {
      guard mayTryAgain(credential, after: refusal) else { throw reauthenticationRequired }
      return try await refresh(replacing: grant)
    }
    if state.isSpent { throw reauthenticationRequired }
    if credential.redeemedAt != nil, !validity.isExpired(at: now) { return grant }
    if validity.isExpired(at: now), !validity.mayRefresh(at: now) { throw CredentialError.signIn(.renewalTooEarly) }
    guard validity.isDue(at: now) else { return grant }
    return try await refresh(replacing: grant)
  }

  /// Returns a grant to replace `rejected`, whose token the backend refused with 401.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func accessGrant(insteadOf rejected: AccessGrant) async throws -> AccessGrant {
    try await refresh(replacing: rejected, wasRejected: true)
  }

  /// Renews a sign-in that would end because nobody uses it. A failure is left to the next use.
  func renewIfIdle() async {
    guard let (credential, _) = try? await read(), let method = methods[credential],
      let time = method.validity(of: credential).keepAliveAt, time <= UnixTime.now, credential.redeemedAt == nil,
      refusal(of: credential) == nil
    else { return }
    _ = try? await refresh(replacing: method.grant(credential))
  }

  /// Waits until a running refresh has ended and its tokens are stored or remain pending.
  func settle() async {
    await refreshEnded()
    await storePending()
  }

  func storePending() async {
    guard let pending else { return }
    _ = try? await refresh(replacing: grant(of: pending.predecessor.credential))
  }

  func refreshEnded() async {
    if case .running(let task) = refreshing { _ = await task.result }
  }

  private func grant(of credential: Credential) throws(CredentialError) -> AccessGrant {
    try method(of: credential).grant(credential)
  }

  private func refresh(replacing old: AccessGrant, wasRejected: Bool = false) async throws -> AccessGrant {
    let task: Task<AccessGrant, any Error>
    switch refreshing {
    case .running(let running): task = running
    case .none:
      // The refresh is a task of its own: a cancelled caller must not stop it after the server has answered.
      task = startRefresh(replacing: old, wasRejected: wasRejected)
      refreshing = .running(task)
    }
    try await task.untilEnded()
    return try await task.value
  }

  private func startRefresh(replacing old: AccessGrant, wasRejected: Bool) -> Task<AccessGrant, any Error> {
    Task.onGLib {
      defer {
        refreshing = .none
        MemoryHardening.wipeStack()
      }
      do {
        return try grant(of: try await performRefresh(replacing: old, wasRejected: wasRejected))
      } catch let error as ChappieAuthError {
        Log.info("The refresh failed: \(error).", slot: identity.logSlot)
        apply(.refreshFailed(.signIn(error)))
        throw CredentialError.signIn(error)
      } catch let error as CredentialError {
        // The refusal is logged where it is stored.
        if error != .reauthenticationRequired { Log.info("The refresh failed: \(error).", slot: identity.logSlot) }
        throw noted(error)
      }
    }
  }

  private func performRefresh(replacing old: AccessGrant, wasRejected: Bool) async throws -> Credential {
    let lock = try await SlotFileLock.take(identity)
    defer { withExtendedLifetime(lock) {} }
    var (current, accessibility) = try await readToReplace()
    if let mistakenMark, current.redeemedAt == mistakenMark { current.redeemedAt = nil }
    if let pending {
      if pending.isNewer(than: current) { return try await keep(pending.credential.credential, pending.accessibility) }
      // Somebody has signed in meanwhile.
      self.pending = nil
      return current
    }
    guard current.accessToken.isEqual(to: old.accessToken) else {
      Log.info("No refresh is needed: another program has renewed the sign-in.", slot: identity.logSlot)
      return current
    }
    let refusal = refusal(of: current)
    if let refusal, !mayTryAgain(current, after: refusal) { throw reauthenticationRequired }
    let method = try method(of: current)
    let validity = method.validity(of: current)
    // The lock of the slot is held: nobody waits for that answer any more.
    if current.redeemedAt != nil { throw await lostRenewal(of: current, accessibility) }
    guard validity.mayRefresh(at: UnixTime.now) else { throw CredentialError.signIn(.renewalTooEarly) }
    do {
      // A refresh token is not redeemed while its successor cannot be stored.
      try await store.unlock(identity, interaction: .forbidden)
    } catch CredentialError.locked where !wasRejected && !validity.isExpired(at: UnixTime.now) {
      return current
    }
    try await unlist(current)
    Log.info(
      wasRejected
        ? "A refresh begins: the backend does not take the access token."
        : "A refresh begins: the access token is about to expire.", slot: identity.logSlot)
    do {
      let renewed = try await redeem(current, accessibility, method)
      if refusal != nil {
        Log.notice("The server renewed a sign-in that it had refused before.", slot: identity.logSlot)
      }
      pending = PendingCredential(
        credential: try EncryptedCredential(renewed), predecessor: try EncryptedCredential(current),
        accessibility: accessibility, slot: self)
      return try await keep(renewed, accessibility)
    } catch is RedemptionLost {
      guard wasRejected || validity.isExpired(at: UnixTime.now) else { return current }
      throw await lostRenewal(of: current, accessibility)
    } catch let error as ChappieAuthError where error.requiresReauthentication {
      await noteRefusal(of: current, accessibility, error, isFirst: refusal == nil && !method.redeemsOnce)
      throw reauthenticationRequired
    }
  }

  private func readToReplace() async throws -> (Credential, ChappieKeychainAccessibility) {
    do {
      return try await read()
    } catch CredentialError.missing {
      // Somebody has signed out meanwhile.
      pending = nil
      throw CredentialError.missing
    }
  }

  /// Stores refreshed tokens before their first use.
  private func keep(_ renewed: Credential, _ accessibility: ChappieKeychainAccessibility) async throws -> Credential {
    try await changing {
      try await store.write(renewed, for: identity, accessibility: accessibility, interaction: .forbidden)
      pending = nil
      pendingRefusal = nil
      Log.info("The sign-in was renewed, and is stored.", slot: identity.logSlot)
      apply(identified(renewed) { .refreshed($0) })
      return renewed
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Refreshes tokens. Each new token is stored and read back before its first use.
///
/// What to do is ``CredentialSituation/step``. It is decided on the stored credential, and once more under the lock of
/// the slot, before anything changes.
extension CredentialSlot {
  /// Returns the present grant. A token near its expiry is refreshed first.
  ///
  /// - Parameter interaction: whether a locked keyring may prompt for its password.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func accessGrant(interaction: UserInteraction = .forbidden) async throws -> AccessGrant {
    try await grant(of: try await read(interaction: interaction).0, for: .request)
  }

  /// Returns a grant to replace `rejected`, whose token the backend refused with 401.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func accessGrant(insteadOf rejected: AccessGrant) async throws -> AccessGrant {
    try await refresh(for: .replacement, seen: rejected.accessToken)
  }

  /// Renews a sign-in that would end because nobody uses it. A failure is left to the next use.
  func renewIfIdle() async {
    guard let (credential, _) = try? await read() else { return }
    _ = try? await grant(of: credential, for: .upkeep)
  }

  /// The longest wait of an ending process for a sign-in that the server is issuing.
  private static let issuePatience = Duration.seconds(10)

  /// Waits until what the server is issuing is stored, or remains pending.
  func settle() async {
    await refreshEnded()
    await storePending()
    await removeMistakenMark()
    // The tokens that a sign-in is being issued exist nowhere else either.
    if issue != nil, case .running(_, let task) = signIn {
      try? await withDeadline(Self.issuePatience) { await task.value }
    }
  }

  func storePending() async {
    guard let seen = pending?.predecessor.credential.accessToken else { return }
    _ = try? await refresh(for: .request, seen: seen)
  }

  func refreshEnded() async {
    if case .running(let task) = refreshing { _ = await task.result }
  }

  private func grant(
    of credential: Credential, for purpose: CredentialSituation.Purpose
  ) async throws -> AccessGrant {
    let method = try method(of: credential)
    switch situation(of: credential, method, purpose, seen: credential.accessToken).step {
    case .use: return method.grant(credential)
    case .askUser: throw reauthenticationRequired
    case .wait: throw CredentialError.signIn(.renewalTooEarly)
    case .storePending, .askTime, .renew, .fail, .giveUp:
      return try await refresh(for: purpose, seen: credential.accessToken)
    }
  }

  /// - Parameter seen: the access token that a refresh was wanted for.
  private func situation(
    of credential: Credential, _ method: any SignInMethod, _ purpose: CredentialSituation.Purpose, seen: SecretBytes
  ) -> CredentialSituation {
    let isRenewed = !credential.accessToken.isEqual(to: seen)
    return CredentialSituation(
      purpose: isRenewed && purpose == .replacement ? .request : purpose, isRenewed: isRenewed,
      hasPending: pending != nil, refusal: refusal(of: credential),
      isMarked: credential.redeemedAt != nil, redeemsOnce: method.redeemsOnce,
      validity: method.validity(of: credential), time: method.clock.time(knowing: credential.issuerReading))
  }

  private func refresh(
    for purpose: CredentialSituation.Purpose, seen: SecretBytes
  ) async throws -> AccessGrant {
    let task: Task<AccessGrant, any Error>
    switch refreshing {
    case .running(let running): task = running
    case .none:
      // The refresh is a task of its own: a cancelled caller must not stop it after the server has answered.
      task = startRefresh(for: purpose, seen: seen)
      refreshing = .running(task)
    }
    try await task.untilEnded()
    return try await task.value
  }

  private func startRefresh(
    for purpose: CredentialSituation.Purpose, seen: SecretBytes
  ) -> Task<AccessGrant, any Error> {
    Task.onGLib {
      defer {
        refreshing = .none
        MemoryHardening.wipeStack()
      }
      do {
        let credential = try await performRefresh(for: purpose, seen: seen)
        return try method(of: credential).grant(credential)
      } catch let error where error is ChappieAuthError || error is CredentialError {
        let error = CredentialError(error)
        // The refusal is logged where it is stored.
        if error != .reauthenticationRequired { Log.info("The refresh failed: \(error).", slot: identity.logSlot) }
        if case .signIn(let cause) = error, cause != .renewalTooEarly { apply(.refreshFailed(error)) }
        throw noted(error)
      }
    }
  }

  private func performRefresh(
    for purpose: CredentialSituation.Purpose, seen: SecretBytes
  ) async throws -> Credential {
    let lock = try await SlotFileLock.take(identity)
    defer { withExtendedLifetime(lock) {} }
    var (current, accessibility) = try await readToReplace()
    if let mistakenMark, current.redeemedAt == mistakenMark { current.redeemedAt = nil }
    // Somebody may have signed in meanwhile.
    if let pending, !pending.isNewer(than: current) { self.pending = nil }
    let method = try method(of: current)
    var obstacle = CredentialSituation.Obstacle.none
    while true {
      var situation = situation(of: current, method, purpose, seen: seen)
      situation.obstacle = obstacle
      switch situation.step {
      case .use: return current
      case .storePending:
        guard let pending else { return current }
        return try await keep(pending.credential.credential, pending.accessibility)
      case .askTime:
        do {
          try await method.askTime()
          obstacle = .issuerWithoutTime
        } catch {
          obstacle = .issuerUnreachable(CredentialError(error))
        }
      case .renew:
        do {
          // A refresh token is not redeemed while its successor cannot be stored.
          try await store.unlock(identity, interaction: .forbidden)
          return try await renew(current, accessibility, method, situation)
        } catch CredentialError.locked(let reason) where pending == nil {
          obstacle = .keyringLocked(.locked(reason))
        } catch is RedemptionLost {
          current.redeemedAt = .now
        }
      case .wait: throw CredentialError.signIn(.renewalTooEarly)
      case .fail(let error): throw error
      case .askUser: throw reauthenticationRequired
      case .giveUp: throw await lostRenewal(of: current, accessibility)
      }
    }
  }

  private func renew(
    _ current: Credential, _ accessibility: ChappieKeychainAccessibility, _ method: any SignInMethod,
    _ situation: CredentialSituation
  ) async throws -> Credential {
    try await unlist(current, accessibility)
    Log.info(
      situation.purpose == .replacement
        ? "A refresh begins: the backend does not take the access token."
        : "A refresh begins: the access token is about to expire.", slot: identity.logSlot)
    do {
      let renewed = try await redeem(current, accessibility, method)
      if situation.refusal != .none {
        Log.notice("The server renewed a sign-in that it had refused before.", slot: identity.logSlot)
      }
      pending = PendingCredential(
        credential: try EncryptedCredential(renewed), predecessor: try EncryptedCredential(current),
        accessibility: accessibility, slot: self)
      return try await keep(renewed, accessibility)
    } catch let unusable as UnusableRenewal {
      await list(unusable.credential, accessibility)
      await noteRefusal(of: current, accessibility, unusable.error, isFirst: false)
      Task.onGLib { await revokeUnused([unusable.credential]) }
      throw reauthenticationRequired
    } catch let error as ChappieAuthError where error.requiresReauthentication {
      await noteRefusal(
        of: current, accessibility, error, isFirst: situation.refusal == .none && !method.redeemsOnce)
      throw reauthenticationRequired
    }
  }

  private func readToReplace() async throws -> (Credential, ChappieKeychainAccessibility) {
    do {
      return try await read()
    } catch CredentialError.missing {
      // Somebody has signed out meanwhile.
      if let unused = pending?.credential.credential {
        pending = nil
        await list(unused)
        Task.onGLib { await revokeUnused([unused]) }
      }
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

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Refreshes tokens. Each new token is stored and read back before its first use.
///
/// What to do is ``CredentialSituation/step``. It is decided on the stored credential, and once more under the lock of
/// the slot, before anything changes.
extension CredentialSlot {
  /// The pause after a refusal, in seconds. The server is not asked again during it, and only a refusal after it counts
  /// as the second.
  static let refusalPause: Int64 = 600
  /// The longest wait of an ending process for a sign-in that the server is issuing.
  private static let issuePatience = Duration.seconds(10)

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

  /// Waits until what the server is issuing is stored, or remains pending.
  func settle() async {
    _ = await refreshing?.result
    await storePending()
    await removeMistakenMark()
    // The tokens that a sign-in is being issued exist nowhere else either.
    if let signIn, signIn.isIssuing { try? await withDeadline(Self.issuePatience) { await signIn.task.value } }
  }

  func storePending() async {
    guard let seen = pending?.predecessor.credential.accessToken else { return }
    _ = try? await refresh(for: .request, seen: seen)
  }

  // MARK: Deciding

  /// The method that keeps `credential`.
  ///
  /// - Throws: ``CredentialError/unusable(_:)`` for a credential that ``find(_:)`` does not return.
  private func method(of credential: Credential) throws(CredentialError) -> any SignInMethod {
    guard let method = methods[credential] else { throw .unusable(Credential.otherServers) }
    return method
  }

  private func grant(
    of credential: Credential, for purpose: CredentialSituation.Purpose
  ) async throws -> AccessGrant {
    let method = try method(of: credential)
    switch situation(of: credential, method, purpose, seen: credential.accessToken).step {
    case .use: return AccessGrant(method, credential)
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
      validity: method.facts(of: credential).validity,
      time: method.clock.time(knowing: credential.issuerReading))
  }

  /// What the server has said about the refresh token of `credential`.
  private func refusal(of credential: Credential) -> CredentialSituation.Refusal {
    let unstored = pendingRefusal.flatMap { $0.renewedAt == credential.renewedAt ? $0.moment : nil }
    guard let moment = credential.refusedAt ?? unstored else { return state.isSpent ? .final : .none }
    guard credential.refreshToken != nil else { return .final }
    return clock().minimumSeconds(since: moment) >= Self.refusalPause ? .old : .recent
  }

  private var reauthenticationRequired: CredentialError {
    if case .signIn(.missingRefreshToken) = state.lastError { return .signIn(.missingRefreshToken) }
    return .reauthenticationRequired
  }

  // MARK: Refreshing

  private func refresh(
    for purpose: CredentialSituation.Purpose, seen: SecretBytes
  ) async throws -> AccessGrant {
    // The refresh is a task of its own: a cancelled caller must not stop it after the server has answered.
    let task =
      refreshing
      ?? Task.onGLib {
        defer {
          refreshing = nil
          MemoryHardening.wipeStack()
        }
        do {
          let credential = try await refreshed(for: purpose, seen: seen)
          return AccessGrant(try method(of: credential), credential)
        } catch let error where error is ChappieAuthError || error is CredentialError {
          let error = CredentialError(error)
          // The refusal is logged where it is stored.
          if error != .reauthenticationRequired { Log.info("The refresh failed: \(error).", slot: identity.logSlot) }
          if case .signIn(let cause) = error, cause != .renewalTooEarly { apply(.refreshFailed(error)) }
          throw noted(error)
        }
      }
    refreshing = task
    try await task.untilEnded()
    return try await task.value
  }

  private func refreshed(
    for purpose: CredentialSituation.Purpose, seen: SecretBytes
  ) async throws -> Credential {
    let lock = try await SlotFileLock.take(identity)
    defer { withExtendedLifetime(lock) {} }
    var (current, rule) = try await readToReplace()
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
          return try await renew(current, rule, method, situation)
        } catch CredentialError.locked(let reason) where pending == nil {
          obstacle = .keyringLocked(.locked(reason))
        } catch is RedemptionLost {
          current.redeemedAt = .now
        }
      case .wait: throw CredentialError.signIn(.renewalTooEarly)
      case .fail(let error): throw error
      case .askUser: throw reauthenticationRequired
      case .giveUp:
        current.redeemedAt = current.redeemedAt ?? .now
        await noteRefusal(of: current, rule, .renewalLost, isFirst: false)
        throw reauthenticationRequired
      }
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

  private func renew(
    _ current: Credential, _ rule: ChappieKeychainAccessibility, _ method: any SignInMethod,
    _ situation: CredentialSituation
  ) async throws -> Credential {
    try await unlist(current, rule)
    Log.info(
      situation.purpose == .replacement
        ? "A refresh begins: the backend does not take the access token."
        : "A refresh begins: the access token is about to expire.", slot: identity.logSlot)
    do {
      let renewed = try await redeem(current, rule, method)
      if situation.refusal != .none {
        Log.notice("The server renewed a sign-in that it had refused before.", slot: identity.logSlot)
      }
      pending = PendingCredential(
        credential: try EncryptedCredential(renewed), predecessor: try EncryptedCredential(current),
        accessibility: rule, slot: self)
      return try await keep(renewed, rule)
    } catch let unusable as UnusableRenewal {
      await list(unusable.credential, rule)
      await noteRefusal(of: current, rule, unusable.error, isFirst: false)
      Task.onGLib { await revokeUnused([unusable.credential]) }
      throw reauthenticationRequired
    } catch let error as ChappieAuthError where error.requiresReauthentication {
      await noteRefusal(of: current, rule, error, isFirst: situation.refusal == .none && !method.redeemsOnce)
      throw reauthenticationRequired
    }
  }

  /// Stores refreshed tokens before their first use.
  private func keep(_ renewed: Credential, _ rule: ChappieKeychainAccessibility) async throws -> Credential {
    try await changing {
      try await write(renewed, rule)
      pending = nil
      pendingRefusal = nil
      Log.info("The sign-in was renewed, and is stored.", slot: identity.logSlot)
      apply(identified(renewed, rule) { .refreshed($0) })
      return renewed
    }
  }

  /// Stores a refusal. One refusal may be a mistake of the server or of a proxy, so the refresh token stays in the
  /// keyring until a second one.
  private func noteRefusal(
    of credential: Credential, _ rule: ChappieKeychainAccessibility, _ error: ChappieAuthError, isFirst: Bool
  ) async {
    await changing {
      var refused = credential
      let now = clock()
      refused.refusedAt = now
      refused.refusal = error
      if !isFirst { refused.refreshToken = nil }
      do {
        try await write(refused, rule)
        pendingRefusal = nil
      } catch {
        pendingRefusal = (now, credential.renewedAt)
      }
      Log.notice(
        refused.refreshToken != nil
          ? "The refresh was refused: \(error). The sign-in is kept, and tried once more in ten minutes at the earliest."
          : "The refresh was refused: \(error). The sign-in has ended and cannot be renewed any more.",
        slot: identity.logSlot)
      apply(.refreshRefused(.signIn(error), renewedAt: credential.renewedAt))
    }
  }

  // MARK: Tokens that the server takes once

  /// Asks the server to refresh `current`.
  ///
  /// If the server takes its token once, the stored credential is marked before the token is sent. If the answer is
  /// lost, by the network or by the end of this process, the mark stays, and nobody sends the token again: the server
  /// would take it for a stolen one. The access token is used until it expires.
  ///
  /// - Throws: ``ChappieAuthError``, ``RedemptionLost``, ``UnusableRenewal``, ``CredentialError``, `CancellationError`.
  private func redeem(
    _ current: Credential, _ rule: ChappieKeychainAccessibility, _ method: any SignInMethod
  ) async throws -> Credential {
    guard method.redeemsOnce else { return try await method.refresh(current) }
    // A process that ends here has not sent the token, and costs no sign-in.
    try await method.prepareRefresh()
    var marked = current
    // Whatever a failure leaves in the keyring, the time of a mistaken mark stays the same.
    marked.redeemedAt = mistakenMark ?? .now
    do {
      try await write(marked, rule)
      mistakenMark = nil
      return try await method.refresh(current)
    } catch let lost as RedemptionLost {
      Log.notice(
        "The answer to a renewal was lost, and the server renews each sign-in once: \(lost.error).",
        slot: identity.logSlot)
      throw lost
    } catch let unusable as UnusableRenewal {
      throw unusable
    } catch let error as ChappieAuthError where error.requiresReauthentication {
      throw error
    } catch {
      // The server has not redeemed the token. A keyring that was locked meanwhile keeps the mark, and one that failed
      // to take it may have it.
      do { try await write(current, rule) } catch { mistakenMark = marked.redeemedAt }
      throw error
    }
  }

  /// Removes a mark that the keyring did not let go when its token was not sent: the next process would take it for one
  /// of a token that was.
  func removeMistakenMark() async {
    guard let mistakenMark, let lock = try? await SlotFileLock.take(identity) else { return }
    defer { withExtendedLifetime(lock) {} }
    guard case (var current, let rule)? = try? await read(), current.redeemedAt == mistakenMark else { return }
    current.redeemedAt = nil
    if (try? await write(current, rule)) != nil { self.mistakenMark = nil }
  }
}

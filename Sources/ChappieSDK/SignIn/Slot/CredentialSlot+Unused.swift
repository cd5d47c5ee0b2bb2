// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Ends sign-ins at the server that nobody can use any more.
///
/// The keyring lists such a sign-in before its last other copy goes, until the server has revoked it: neither the end of
/// this process nor a server that is not reached leaves it alive. Whoever changes the list or the credential holds the
/// lock of the slot, so a listed sign-in is in use only if it is the stored one.
extension CredentialSlot {
  /// What a running sign-in is issued, and has not stored for certain.
  @GLibActor
  final class Issue {
    enum Content {
      case awaited
      /// Nobody knows of it but this process.
      case held(Credential)
      /// The next start knows of it too.
      case listed(Credential)
      /// The store may have it, even if it reports a failure.
      case offered(Credential)
    }

    /// Keeps others from ending it.
    let lock: FileLock
    var content = Content.awaited

    init(_ lock: FileLock) {
      self.lock = lock
    }
  }

  enum Revocation {
    case none
    case running(Task<CredentialError?, Never>)
  }

  /// Keeps what the method of a sign-in is issued, under the rule for the new credential.
  struct SlotCustody: SignInCustody {
    let slot: CredentialSlot
    let accessibility: ChappieKeychainAccessibility
    let interaction: UserInteraction

    func issue<Answer: Sendable>(
      _ ask: @escaping @GLibActor @Sendable () async throws -> (Credential, Answer)
    ) async throws -> Answer {
      // The prompt comes before the lock, so no other process waits for the user.
      try await slot.store.unlock(slot.identity, interaction: await slot.gate.interaction(interaction))
      let issue = Issue(try await SlotFileLock.take(slot.identity))
      slot.issue = issue
      // A task of its own: the server may have issued the tokens when the user cancels. The slot lets go of the issue then,
      // and its lock is free.
      let task = Task.onGLib { [slot, accessibility, weak issue] in
        let (credential, answer) = try await ask()
        guard let issue else {
          await slot.endAbandoned(credential, accessibility)
          throw CancellationError()
        }
        issue.content = .held(credential)
        if await slot.list(credential, accessibility) { issue.content = .listed(credential) }
        return answer
      }
      try await task.untilEnded()
      return try await task.value
    }
  }

  /// Ends what the server has issued to a sign-in that was given up meanwhile.
  private func endAbandoned(_ credential: Credential, _ accessibility: ChappieKeychainAccessibility) async {
    if let lock = try? await SlotFileLock.take(identity) {
      await list(credential, accessibility)
      withExtendedLifetime(lock) {}
    }
    await revokeUnused([credential])
  }

  /// The seconds after which the server ends a sign-in by itself, 30 days.
  private static let unusedLifetime: Int64 = 2_592_000

  /// Adds a sign-in to the list, even if this task is cancelled. It is ended at once in any case, so a keyring that
  /// does not take the list fails nothing.
  ///
  /// - Parameter accessibility: the rule of the slot's credential: the list is read whenever that is.
  /// - Returns: whether the list has it.
  @discardableResult
  func list(
    _ credential: Credential, _ accessibility: ChappieKeychainAccessibility = .whenUnlockedThisDeviceOnly
  ) async -> Bool {
    guard credential.refreshToken != nil else { return false }
    return await Task.onGLib {
      guard let unused, var (list, _) = try? await listed() else { return false }
      guard list.add(credential) else { return true }
      do { try await write(list, to: unused, accessibility) } catch { return false }
      return true
    }.value
  }

  /// Takes the stored sign-in from the list. Call it before a refresh, after which nobody would recognize it.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func unlist(_ stored: Credential, _ accessibility: ChappieKeychainAccessibility) async throws {
    guard let unused, var (list, _) = try await listed(), list.remove(stored) else { return }
    try await write(list, to: unused, accessibility)
  }

  /// Ends the listed sign-ins, and `others`, but not the stored one.
  ///
  /// - Parameters:
  ///   - doubtful: another one, which the store may have. It waits where the store does not tell.
  ///   - isFinal: whether those that the server does not end now are forgotten too.
  /// - Returns: the error of the last failure.
  @discardableResult
  func revokeUnused(
    _ others: [Credential] = [], doubtful: Credential? = nil, isFinal: Bool = false
  ) async -> CredentialError? {
    // One at a time: the second of two would ask the server to end what the first has ended. Nor does it try again what
    // the first could not.
    var isFirst = true
    while case .running(let task) = revoking {
      isFirst = false
      _ = await task.value
    }
    if !isFirst, !isFinal, others.isEmpty, doubtful == nil { return nil }
    let scope = isFinal ? Scope.final : isFirst ? .all : .new
    let task = Task.onGLib {
      defer { revoking = .none }
      return await revokeNow(others + [doubtful].compactMap(\.self), await unusedNow(others, doubtful), scope)
    }
    revoking = .running(task)
    return await task.value
  }

  /// What a run ends of the list.
  private enum Scope {
    case all
    /// What was not there at the run before.
    case new
    /// All of it, for the last time.
    case final
  }

  private func revokeNow(_ new: [Credential], _ unused: UnusedSignIns, _ scope: Scope) async -> CredentialError? {
    var failure: CredentialError?
    var ended: [Credential] = []
    // Those of another issuer, which this process does not serve, wait for one that does.
    let revocations = unused.credentials
      .filter { scope == .final || methods[$0] != nil }
      .filter { scope != .new || new.contains(where: $0.sharesToken) }
      .map { credential in (credential, Task.onGLib { await revoke(credential) }) }
    for (credential, revocation) in revocations {
      let error = await revocation.value
      if error == nil || scope == .final || hasEndedByItself(credential) { ended.append(credential) }
      failure = error ?? failure
    }
    guard !ended.isEmpty, let store = self.unused, let lock = try? await SlotFileLock.take(identity) else {
      return failure
    }
    defer { withExtendedLifetime(lock) {} }
    guard let (listed, rule) = try? await listed() else { return failure }
    var list = listed
    if ended.count(where: { list.remove($0) }) > 0 { try? await write(list, to: store, rule) }
    return failure
  }

  /// Only the issuer's own clock tells: that of this machine may be wrong.
  private func hasEndedByItself(_ credential: Credential) -> Bool {
    guard case .known(let now)? = methods[credential]?.clock.time(knowing: credential.issuerReading) else {
      return false
    }
    return now.seconds(since: credential.renewedAt) > Self.unusedLifetime
  }

  /// Asks the server to end a sign-in.
  ///
  /// - Returns: the error; nil for success.
  private func revoke(_ credential: Credential) async -> CredentialError? {
    defer { MemoryHardening.wipeStack() }
    do {
      guard let method = methods[credential] else {
        throw ChappieAuthError.revocationFailed("it is of another sign-in server")
      }
      try await method.revoke(credential)
      return nil
    } catch {
      let error = ChappieAuthError(CredentialError(error))
      Log.notice(
        "The server was not told to revoke a sign-in that is not used any more: \(error).", slot: identity.logSlot)
      return .signIn(error)
    }
  }

  /// The sign-ins that nobody uses: `others` and the listed ones without the stored one, which leaves the list. Where the
  /// store does not tell which one it has, the listed and the `doubtful` ones wait.
  private func unusedNow(_ others: [Credential], _ doubtful: Credential?) async -> UnusedSignIns {
    var all = UnusedSignIns(others)
    if others.isEmpty, doubtful == nil, (try? await listed())?.list.credentials.isEmpty ?? true { return all }
    guard let lock = try? await SlotFileLock.take(identity) else { return all }
    defer { withExtendedLifetime(lock) {} }
    let finding: SlotVault<Credential>.Finding
    switch try? await vault.read(identity, interaction: .forbidden) {
    case .locked?, .hidden?, nil: return all
    case .some(let readable): finding = readable
    }
    let used = [finding.credential, pending?.credential.credential, pending?.predecessor.credential]
      .compactMap(\.self)
    var (list, rule) = (try? await listed()) ?? (UnusedSignIns(), .whenUnlockedThisDeviceOnly)
    if used.count(where: { list.remove($0) }) > 0, let unused { try? await write(list, to: unused, rule) }
    all = list
    for credential in others + [doubtful].compactMap(\.self) where !used.contains(where: credential.sharesToken) {
      _ = all.add(credential)
    }
    return all
  }

  /// The list, and the rule that it is stored with. Nil where the slot has none.
  private func listed() async throws -> (list: UnusedSignIns, rule: ChappieKeychainAccessibility)? {
    guard let unused else { return nil }
    switch try await SlotVault(store: unused, gate: gate).read(identity, interaction: .forbidden) {
    case .secret(let list, let rule): return (list, rule)
    case .none, .unusable: return (UnusedSignIns(), .whenUnlockedThisDeviceOnly)
    case .locked(let error), .hidden(let error): throw error
    }
  }

  private func write(
    _ list: UnusedSignIns, to store: any SlotStore<UnusedSignIns>, _ accessibility: ChappieKeychainAccessibility
  ) async throws {
    if list.credentials.isEmpty {
      try await store.delete(identity, interaction: .forbidden)
    } else {
      try await store.write(list, for: identity, accessibility: accessibility, interaction: .forbidden)
    }
  }
}

import GLibBridge
import Platform

/// Ends sign-ins at the server that nobody can use any more.
///
/// The keyring lists such a sign-in before its last other copy goes, until the server has revoked it: neither the end of
/// this process nor a server that is not reached leaves it alive. Whoever changes the list or the credential holds the
/// lock of the slot, so a listed sign-in is in use only if it is the stored one.
extension CredentialSlot {
  /// What a running sign-in has been issued, and has not stored for certain.
  enum Issue {
    case none
    case held(Credential)
    /// The store may have it, even if it reports a failure.
    case offered(Credential)
  }

  enum Revocation {
    case none
    case running(Task<CredentialError?, Never>)
  }

  /// Keeps what the method of a sign-in is issued.
  var custody: SignInCustody {
    SignInCustody(
      willIssue: { [self] in if issueLock == nil { issueLock = try await SlotFileLock.take(identity) } },
      issued: { [self] credential in
        issue = .held(credential)
        await list(credential)
      })
  }

  @discardableResult
  func endIssue() -> Issue {
    defer { (issue, issueLock) = (.none, nil) }
    return issue
  }

  /// The seconds after which the server ends a sign-in by itself, 30 days.
  private static let unusedLifetime: Int64 = 2_592_000

  /// Adds a sign-in to the list, even if this task is cancelled. It is ended at once in any case, so a keyring that
  /// does not take the list fails nothing.
  func list(_ credential: Credential) async {
    await Task.onGLib {
      guard let unused, var list = try? await listed() else { return }
      list.add(credential)
      try? await write(list, to: unused)
    }.value
  }

  /// Takes the stored sign-in from the list. Call it before a refresh, after which nobody would recognize it.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func unlist(_ stored: Credential) async throws {
    guard let unused, var list = try await listed(), list.remove(stored) else { return }
    try await write(list, to: unused)
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
    // One at a time: the second of two would ask the server to end what the first has ended.
    while case .running(let task) = revoking { _ = await task.value }
    let task = Task.onGLib {
      defer { revoking = .none }
      return await revokeNow(others, doubtful, isFinal)
    }
    revoking = .running(task)
    return await task.value
  }

  private func revokeNow(_ others: [Credential], _ doubtful: Credential?, _ isFinal: Bool) async -> CredentialError? {
    var failure: CredentialError?
    var ended: [Credential] = []
    // Those of another issuer, which this process does not serve, wait for one that does.
    for credential in await unusedNow(others, doubtful).credentials where isFinal || methods[credential] != nil {
      let error = await revoke(credential).value
      let isOld = Timestamp.now.seconds(since: credential.renewedAt) > Self.unusedLifetime
      if error == nil || isFinal || isOld { ended.append(credential) }
      failure = error ?? failure
    }
    guard !ended.isEmpty, let unused, let lock = try? await SlotFileLock.take(identity) else { return failure }
    defer { withExtendedLifetime(lock) {} }
    guard var list = try? await listed() else { return failure }
    if ended.count(where: { list.remove($0) }) > 0 { try? await write(list, to: unused) }
    return failure
  }

  /// The sign-ins that nobody uses: `others` and the listed ones without the stored one, which leaves the list. Where the
  /// store does not tell which one it has, the listed and the `doubtful` ones wait.
  private func unusedNow(_ others: [Credential], _ doubtful: Credential?) async -> UnusedSignIns {
    var all = UnusedSignIns(others)
    if others.isEmpty, doubtful == nil, (try? await listed())?.credentials.isEmpty ?? true { return all }
    guard let lock = try? await SlotFileLock.take(identity) else { return all }
    defer { withExtendedLifetime(lock) {} }
    let finding: SlotVault<Credential>.Finding
    switch try? await vault.read(identity, interaction: .forbidden) {
    case .locked?, .hidden?, nil: return all
    case .some(let readable): finding = readable
    }
    let used = [finding.credential, pending?.credential.credential, pending?.predecessor.credential]
      .compactMap(\.self)
    var list = (try? await listed()) ?? UnusedSignIns()
    if used.count(where: { list.remove($0) }) > 0, let unused { try? await write(list, to: unused) }
    all = list
    for credential in others + [doubtful].compactMap(\.self) where !used.contains(where: credential.sharesToken) {
      all.add(credential)
    }
    return all
  }

  /// The list. Nil where the slot has none.
  private func listed() async throws -> UnusedSignIns? {
    guard let unused else { return nil }
    switch try await SlotVault(store: unused, gate: gate).read(identity, interaction: .forbidden) {
    case .secret(let list, _): return list
    case .none, .unusable: return UnusedSignIns()
    case .locked(let error), .hidden(let error): throw error
    }
  }

  private func write(_ list: UnusedSignIns, to store: any SlotStore<UnusedSignIns>) async throws {
    if list.credentials.isEmpty {
      try await store.delete(identity, interaction: .forbidden)
    } else {
      try await store.write(list, for: identity, accessibility: .whenUnlockedThisDeviceOnly, interaction: .forbidden)
    }
  }
}

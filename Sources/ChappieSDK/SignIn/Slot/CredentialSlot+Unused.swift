import GLibBridge
import Platform

/// Ends sign-ins at the server that nobody can use any more.
///
/// The keyring lists such a sign-in before its last other copy goes, until the server has revoked it: neither the end of
/// this process nor a server that is not reached leaves it alive. Whoever changes the list or the credential holds the
/// lock of the slot, so a listed sign-in is in use only if it is the stored one.
extension CredentialSlot {
  /// What a running sign-in has been issued and has not stored yet, and the lock that keeps others from ending it.
  struct Issue {
    var lock: FileLock?
    var credential: Credential?
  }

  /// Keeps what the method of a sign-in is issued.
  var custody: SignInCustody {
    SignInCustody(
      willIssue: { [self] in if issue.lock == nil { issue.lock = try await SlotFileLock.take(identity) } },
      issued: { [self] credential in
        issue.credential = credential
        await list(credential)
      })
  }

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
  /// - Parameter isFinal: whether those that the server does not end now are forgotten too.
  /// - Returns: the error of the last failure.
  @discardableResult
  func revokeUnused(_ others: [Credential] = [], isFinal: Bool = false) async -> CredentialError? {
    var failure: CredentialError?
    var ended: [Credential] = []
    for credential in await unusedNow(others).credentials {
      let error = await revoke(credential).value
      if error == nil || isFinal { ended.append(credential) }
      failure = error ?? failure
    }
    guard !ended.isEmpty, let unused, let lock = try? await SlotFileLock.take(identity) else { return failure }
    defer { withExtendedLifetime(lock) {} }
    guard var list = try? await listed() else { return failure }
    if ended.count(where: { list.remove($0) }) > 0 { try? await write(list, to: unused) }
    return failure
  }

  /// The sign-ins that nobody uses: `others` and the listed ones without the stored one, which leaves the list. Where the
  /// store does not tell which one it has, the listed ones wait.
  private func unusedNow(_ others: [Credential]) async -> UnusedSignIns {
    var all = UnusedSignIns()
    if others.isEmpty, (try? await listed())?.credentials.isEmpty ?? true { return all }
    guard let lock = try? await SlotFileLock.take(identity) else {
      for credential in others { all.add(credential) }
      return all
    }
    defer { withExtendedLifetime(lock) {} }
    let finding = try? await vault.read(identity, interaction: .forbidden)
    switch finding {
    case .some(.none), .secret?, .unusable?: if let list = try? await listed() { all = list }
    case .locked?, .hidden?, nil: break
    }
    let used = [finding?.credential, pending?.credential.credential, pending?.predecessor.credential]
      .compactMap(\.self)
    if used.count(where: { all.remove($0) }) > 0, let unused { try? await write(all, to: unused) }
    for credential in others where !used.contains(where: credential.sharesToken) { all.add(credential) }
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

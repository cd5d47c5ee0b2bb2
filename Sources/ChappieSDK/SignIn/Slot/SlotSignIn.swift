// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A running sign-in of a slot. The old credential stays until the new one is stored.
@GLibActor
final class SlotSignIn: SignInCustody {
  /// What the server has issued, and the store has not taken for certain.
  private enum Issued {
    case nothing
    /// Nobody knows of it but this process.
    case held(Credential)
    /// The next start knows of it too.
    case listed(Credential)
    /// The store may have it, even if it reports a failure.
    case offered(Credential)
  }

  let method: any SignInMethod
  private let slot: CredentialSlot
  private let options: SignInOptions
  /// The rule for storing the new credential.
  private let rule: ChappieKeychainAccessibility
  private let interaction: UserInteraction
  private var issued = Issued.nothing
  /// Keeps others from ending what is being issued. Nil before, and after the sign-in has ended.
  private var lock: FileLock?
  /// The first access starts the sign-in.
  private(set) lazy var task: Task<Void, Never> = Task.onGLib {
    await run()
    slot.signIn = nil
    MemoryHardening.wipeStack()
  }

  init(
    _ method: any SignInMethod, _ slot: CredentialSlot, _ options: SignInOptions,
    _ rule: ChappieKeychainAccessibility, _ interaction: UserInteraction
  ) {
    self.method = method
    self.slot = slot
    self.options = options
    self.rule = rule
    self.interaction = interaction
  }

  /// Whether the server is issuing tokens, which exist nowhere else until they are stored.
  var isIssuing: Bool { lock != nil }

  private func run() async {
    do {
      // The check comes before the user approves: a sign-in that cannot be stored is useless.
      try await slot.store.prepare(slot.identity, interaction: await slot.gate.interaction(interaction))
      let old = try? await credentialToReplace()
      let request = SignInRequest(replaced: old, options: options, custody: self)
      let credential = try await method.signIn(request) { [slot] in slot.apply(.signInProgress($0)) }
      let replaced = try await slot.changing {
        let replaced = try await keep(credential, insteadOf: old)
        lock = nil
        await method.signInEnded(nil)
        slot.apply(slot.identified(credential, rule) { .signedIn($0) })
        return replaced
      }
      // The old credential is revoked only now, because a failed sign-in must leave it in force.
      Task.onGLib { [slot] in await slot.revokeUnused([replaced].compactMap(\.self)) }
    } catch {
      let error = CredentialError(error)
      slot.apply(.signInFailed(error))
      // Another sign-in may start meanwhile, so nothing waits for this one's browser.
      Task.onGLib { [method] in await method.signInEnded(ChappieAuthError(error)) }
      lock = nil
      // A cancelled sign-in needs the revocation too.
      Task.onGLib { [slot, issued] in
        switch issued {
        case .nothing: break
        case .held(let credential), .listed(let credential): await slot.revokeUnused([credential])
        case .offered(let credential): await slot.revokeUnused(doubtful: credential)
        }
      }
    }
  }

  // MARK: Custody

  func issue<Answer: Sendable>(
    _ ask: @escaping @GLibActor @Sendable () async throws -> (Credential, Answer)
  ) async throws -> Answer {
    // The prompt comes before the lock, so no other process waits for the user.
    try await slot.store.unlock(slot.identity, interaction: await slot.gate.interaction(interaction))
    lock = try await SlotFileLock.take(slot.identity)
    // A task of its own: the server may have issued the tokens when the user cancels. The sign-in has ended then, and its
    // lock is free.
    let task = Task.onGLib {
      let (credential, answer) = try await ask()
      guard let lock else {
        if let lock = try? await SlotFileLock.take(slot.identity) {
          await slot.list(credential, rule)
          withExtendedLifetime(lock) {}
        }
        await slot.revokeUnused([credential])
        throw CancellationError()
      }
      defer { withExtendedLifetime(lock) {} }
      issued = .held(credential)
      if await slot.list(credential, rule) { issued = .listed(credential) }
      return answer
    }
    try await task.untilEnded()
    return try await task.value
  }

  // MARK: Storing

  /// Stores a new sign-in, under the lock of its issue.
  ///
  /// - Parameter old: the credential at the start.
  /// - Returns: the credential that it has replaced.
  private func keep(_ credential: Credential, insteadOf old: Credential?) async throws -> Credential? {
    let replaced: Credential?
    do {
      replaced = try await credentialToReplace(else: old)
    } catch CredentialError.locked where options.allowsAnotherAccount || isOfKnownAccount(credential) {
      replaced = nil
    }
    guard options.allowsAnotherAccount || replaced.map({ mayReplace($0, credential) }) ?? true else {
      throw ChappieAuthError.accountMismatch
    }
    try Task.checkCancellation()
    // One without a refresh token has ended, or nobody can end it.
    let unused = replaced.flatMap { $0.refreshToken == nil || $0.sharesToken(with: credential) ? nil : $0 }
    // The write is a task of its own: the store may have the credential already, so cancelling is too late.
    try await Task.onGLib { [slot, rule] in
      // A keyring that is locked or gone by now takes nothing, and the sign-in is ended at once.
      try await slot.store.unlock(slot.identity, interaction: .forbidden)
      // A keyring that has not taken the new one does not take the old one either.
      if let unused, case .listed = issued { await slot.list(unused, rule) }
      issued = .offered(credential)
      try await slot.write(credential, rule)
      try? await slot.unlist(credential, rule)
    }.value
    slot.pending = nil
    return unused
  }

  /// Whether a new credential is of the account that the slot had when its credential could be read.
  private func isOfKnownAccount(_ credential: Credential) -> Bool {
    guard let old = slot.state.accountInfo else { return false }
    let new = method.facts(of: credential).account
    if let id = old.userID, id == new.userID { return true }
    return old.email != nil && old.email?.lowercased() == new.email?.lowercased()
  }

  /// Whether the account of a new credential is, as far as they tell, the one of the old.
  private func mayReplace(_ old: Credential, _ new: Credential) -> Bool {
    guard let oldInfo = slot.methods[old]?.facts(of: old).account else { return true }
    let newInfo = method.facts(of: new).account
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
    if let pending = slot.pending { return pending.credential.credential }
    switch try await slot.find(.forbidden) {
    case .secret(let credential, _): return credential
    case .none, .unusable: return nil
    case .locked(let error), .hidden(let error):
      guard let known else { throw error }
      return known
    }
  }
}

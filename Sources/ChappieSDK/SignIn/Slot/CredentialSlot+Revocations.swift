// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Ends sign-ins of a slot at the server that nobody can use any more.
///
/// The keyring lists such a sign-in before its last other copy goes, until the server has revoked it: neither the end of
/// this process nor a server that is not reached leaves it alive. Whoever changes the list or the credential holds the
/// lock of the slot, so a listed sign-in is in use only if it is the stored one.
extension CredentialSlot {
  /// The seconds after which the server ends a sign-in by itself, 30 days.
  private static let signInLifetime: Int64 = 2_592_000

  /// The list, and the rule that it is stored with.
  private typealias Listed = (list: UnusedSignIns, rule: ChappieKeychainAccessibility)

  // MARK: The list

  /// Adds a sign-in to the list, even if this task is cancelled. It is ended at once in any case, so a keyring that
  /// does not take the list fails nothing.
  ///
  /// - Parameter rule: the rule of the slot's credential: the list is read whenever that is.
  /// - Returns: whether the list has it.
  @discardableResult
  func list(
    _ credential: Credential, _ rule: ChappieKeychainAccessibility = .whenUnlockedThisDeviceOnly
  ) async -> Bool {
    guard unusedStore != nil, credential.refreshToken != nil else { return false }
    return await Task.onGLib {
      guard var list = try? await listed().list else { return false }
      guard list.add(credential) else { return true }
      return (try? await keep((list, rule))) != nil
    }.value
  }

  /// Takes the stored sign-in from the list. Call it before a refresh, after which nobody would recognize it.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func unlist(_ stored: Credential, _ rule: ChappieKeychainAccessibility) async throws {
    var listed = try await listed()
    listed.rule = rule
    try await remove([stored], from: &listed)
  }

  private func listed() async throws -> Listed {
    let nothing = (list: UnusedSignIns(), rule: ChappieKeychainAccessibility.whenUnlockedThisDeviceOnly)
    guard let unusedStore else { return nothing }
    switch try await SlotVault(store: unusedStore, gate: gate).read(identity, interaction: .forbidden) {
    case .secret(let list, let rule): return (list, rule)
    case .none, .unusable: return nothing
    case .locked(let error), .hidden(let error): throw error
    }
  }

  private func remove(_ credentials: [Credential], from listed: inout Listed) async throws {
    if credentials.count(where: { listed.list.remove($0) }) > 0 { try await keep(listed) }
  }

  private func keep(_ listed: Listed) async throws {
    if listed.list.credentials.isEmpty {
      try await unusedStore?.delete(identity, interaction: .forbidden)
    } else {
      try await unusedStore?.write(listed.list, for: identity, accessibility: listed.rule, interaction: .forbidden)
    }
  }

  // MARK: Ending

  /// Ends the listed sign-ins, and others, but none that is in use.
  ///
  /// - Parameters:
  ///   - doubtful: another one, which the store may have. It waits where the store does not tell.
  ///   - isFinal: whether those that the server does not end now are forgotten too.
  /// - Returns: the error of the last failure.
  @discardableResult
  func revokeUnused(
    _ others: [Credential] = [], doubtful: Credential? = nil, isFinal: Bool = false
  ) async -> CredentialError? {
    // One at a time: the second of two does not ask the server to end what the first has ended. Nor does it try again
    // what the first could not.
    var isFirst = true
    var ended: [Credential] = []
    while let revoking {
      isFirst = false
      ended += await revoking.value.ended
    }
    func isOpen(_ credential: Credential) -> Bool { !ended.contains(where: credential.sharesToken) }
    let others = others.filter(isOpen)
    let new = others + [doubtful].compactMap(\.self).filter(isOpen)
    if !isFirst, !isFinal, new.isEmpty { return nil }
    let task = Task.onGLib {
      defer { revoking = nil }
      // Those of another issuer, which this process does not serve, wait for one that does.
      let unused = await unused(others, new, except: ended).credentials.filter {
        isFinal || methods[$0] != nil && (isFirst || new.contains(where: $0.sharesToken))
      }
      return await revoke(unused, isFinal)
    }
    revoking = task
    return await task.value.failure
  }

  /// The sign-ins that nobody uses: `others` and the listed ones without those in use and those that have ended, which
  /// leave the list. Where the store does not tell which one it has, the listed and the doubtful ones wait.
  private func unused(
    _ others: [Credential], _ new: [Credential], except ended: [Credential]
  ) async -> UnusedSignIns {
    let known = UnusedSignIns(others)
    if new.isEmpty, (try? await listed().list.credentials.isEmpty) ?? true { return known }
    guard let lock = try? await SlotFileLock.take(identity) else { return known }
    defer { withExtendedLifetime(lock) {} }
    // One for other servers is in use too.
    let finding = try? await SlotVault(store: store, gate: gate).read(identity, interaction: .forbidden)
    switch finding {
    case .locked?, .hidden?, nil: return known
    case .none?, .unusable?, .secret?: break
    }
    let used = [finding?.secret, pending?.credential.credential, pending?.predecessor.credential].compactMap(\.self)
    var listed = (try? await listed()) ?? (UnusedSignIns(), .whenUnlockedThisDeviceOnly)
    try? await remove(used + ended, from: &listed)
    for credential in new where !used.contains(where: credential.sharesToken) { _ = listed.list.add(credential) }
    return listed.list
  }

  private func revoke(_ unused: [Credential], _ isFinal: Bool) async -> Revocations {
    var result = Revocations()
    var settled: [Credential] = []
    let revocations = unused.map { credential in (credential, Task.onGLib { await revoke(credential) }) }
    for (credential, revocation) in revocations {
      let error = await revocation.value
      if error == nil { result.ended.append(credential) }
      if error == nil || isFinal || hasEndedByItself(credential) { settled.append(credential) }
      result.failure = error ?? result.failure
    }
    if !settled.isEmpty, unusedStore != nil, let lock = try? await SlotFileLock.take(identity) {
      defer { withExtendedLifetime(lock) {} }
      if var listed = try? await listed() { try? await remove(settled, from: &listed) }
    }
    return result
  }

  /// Only the issuer's own clock tells: that of this machine may be wrong.
  private func hasEndedByItself(_ credential: Credential) -> Bool {
    guard let now = methods[credential]?.clock.time(knowing: credential.issuerReading), now.isKnown else {
      return false
    }
    return now.earliest.seconds(since: credential.renewedAt) > Self.signInLifetime
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
}

/// What came of asking the server to end sign-ins.
struct Revocations: Sendable {
  /// Those that it has ended.
  var ended: [Credential] = []
  /// The error of the last failure.
  var failure: CredentialError?
}

/// The sign-ins of a slot that the server is to end: those that were issued and not stored, or replaced by another.
package struct UnusedSignIns: Sendable {
  /// Far more than a user's sign-ins leave in a month.
  private static let limit = 16

  private(set) var credentials: [Credential] = []

  init(_ credentials: [Credential] = []) {
    for credential in credentials { _ = add(credential) }
  }

  /// The ID tokens stay behind: no revocation needs one.
  ///
  /// - Returns: whether it was not there.
  mutating func add(_ credential: Credential) -> Bool {
    guard !credentials.contains(where: credential.sharesToken) else { return false }
    var credential = credential
    credential.idToken = nil
    if credentials.count >= Self.limit { credentials.removeFirst() }
    credentials.append(credential)
    return true
  }

  /// - Returns: whether it was there.
  mutating func remove(_ credential: Credential) -> Bool {
    let count = credentials.count
    credentials.removeAll(where: credential.sharesToken)
    return credentials.count < count
  }
}

extension UnusedSignIns: KeyringSecret {
  package static let schema = "org.chappie.UnusedSignIns"
  package static let reasons = (
    otherDevice: "The list of sign-ins to end was made on another device.",
    damaged: "The list of sign-ins to end is damaged, or another version's."
  )

  package static let title = "ChatGPT sign-ins to end"

  /// One line for each credential.
  package static func decode(_ bytes: SecretBytes) -> UnusedSignIns? {
    var list = UnusedSignIns()
    for line in bytes.withBytes({ $0.split(separator: .lineFeed).map { SecretBytes($0) } }) {
      guard let credential = CredentialCoding.decode(line) else { return nil }
      list.credentials.append(credential)
    }
    return list
  }

  package func encode() throws -> SecretBytes {
    SecretLine.joined(try credentials.flatMap { [try CredentialCoding.encode($0), SecretBytes("\n".utf8)] })
  }

  package func counts(before other: UnusedSignIns) -> Bool { credentials.count >= other.credentials.count }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension CredentialSlot {
  /// Reads the slot in the keyring. A keyring that does not answer changes nothing.
  func restore() async {
    defer { MemoryHardening.wipeStack() }
    _ = try? await read()
  }

  /// Returns the stored credential and its accessibility rule.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func read(interaction: UserInteraction = .forbidden) async throws -> (Credential, ChappieKeychainAccessibility) {
    let finding: SlotVault<Credential>.Finding
    do {
      finding = try await find(interaction)
    } catch let error as CredentialError {
      recall()
      LockMonitor.shared.lookAtKeyring()
      throw noted(error)
    }
    switch finding {
    case .secret(let credential, let accessibility):
      apply(found(credential))
      return (credential, accessibility)
    case .locked(let error):
      apply(.foundLocked)
      throw noted(error)
    case .hidden(let error):
      recall()
      throw noted(error)
    case .none:
      apply(.foundNone)
      throw CredentialError.missing
    case .unusable(let reason):
      apply(.foundUnusable(reason: reason))
      throw CredentialError.missing
    }
  }

  /// Reads the store's entry for the servers of this slot. A credential for other servers counts as unusable and is
  /// sent nowhere.
  func find(_ interaction: UserInteraction) async throws -> SlotVault<Credential>.Finding {
    let finding = try await vault.read(identity, interaction: interaction)
    guard case .secret(let credential, _) = finding, methods[credential] == nil else { return finding }
    return .unusable(reason: Credential.otherServers)
  }

  /// The method that keeps `credential`.
  ///
  /// - Throws: ``CredentialError/unusable(_:)`` for a credential that ``find(_:)`` does not return.
  func method(of credential: Credential) throws(CredentialError) -> any SignInMethod {
    guard let method = methods[credential] else { throw .unusable(Credential.otherServers) }
    return method
  }

  /// The events for a credential: what it allows, and `event` with its account.
  func identified(
    _ credential: Credential, _ event: (ChappieAccountInfo) -> SlotState.Event
  ) -> [SlotState.Event] {
    guard let method = methods[credential] else { return [] }
    let holding = SlotState.Holding(
      method: method.kind, planUse: method.planUse(of: credential), manageUsageURL: method.backend.manageUsageURL,
      needsBackgroundConsent: method.backend.needsBackgroundConsent)
    return [.holds(holding), event(method.account(of: credential))]
  }

  /// A silent keyring signs nobody out, even across a restart.
  private func recall() {
    if methods.servers.contains(where: { store.hadCredential(identity, for: $0) }) { apply(.recalled) }
  }

  func found(_ credential: Credential) -> [SlotState.Event] {
    identified(credential) { account in
      credential.refusedAt != nil
        ? .foundRefused(account, renewedAt: credential.renewedAt) : .found(account, renewedAt: credential.renewedAt)
    }
  }

  /// Records `error` if it comes from the store or the lock, and returns it.
  func noted(_ error: CredentialError) -> CredentialError {
    switch error {
    case .locked, .keyringUnavailable: apply(.storeFailed(error))
    case .missing, .unusable, .reauthenticationRequired, .signIn: break
    }
    return error
  }
}

import GLibBridge
import Platform

extension CredentialSlot {
  /// Reads the slot in the keyring. A keyring that does not answer changes nothing that is known.
  func restore() async {
    defer { MemoryHardening.wipeStack() }
    _ = try? await read()
  }

  /// The stored credential and the rule it was stored under.
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

  /// What the store has for the servers of this slot. A credential for other servers counts as unusable, and is sent
  /// nowhere.
  func find(_ interaction: UserInteraction) async throws -> SlotVault<Credential>.Finding {
    let finding = try await vault.read(identity, interaction: interaction)
    guard case .secret(let credential, _) = finding, credential.servers != method.servers else { return finding }
    return .unusable(reason: Credential.otherServers)
  }

  /// A keyring that does not answer signs nobody out, also not across a restart.
  private func recall() {
    if store.hadCredential(identity, for: method.servers) { apply(.recalled) }
  }

  func found(_ credential: Credential) -> SlotState.Event {
    credential.refusedAt != nil
      ? .foundRefused(credential.accountInfo, renewedAt: credential.renewedAt)
      : .found(credential.accountInfo, renewedAt: credential.renewedAt)
  }

  /// Notes `error` where it is one of the store or the lock, and returns it.
  func noted(_ error: CredentialError) -> CredentialError {
    switch error {
    case .locked, .keyringUnavailable: apply(.storeFailed(error))
    case .missing, .unusable, .reauthenticationRequired, .signIn: break
    }
    return error
  }
}

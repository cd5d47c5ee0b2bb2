import GLibBridge

extension Erasure {
  /// Signs an application out, as ``ChappieAuthSession/signOutAndWait()`` does for one slot.
  ///
  /// - Parameters:
  ///   - application: its id, as ``StoredCredential/application`` shows it; or the name of an access group, if no
  ///     application of that id is signed in.
  ///   - account: nil for all of its accounts.
  ///   - configuration: the servers that revoke credentials, and the lock policy.
  ///   - interaction: whether a locked keyring may prompt for its password.
  /// - Returns: one part for each credential; none if the application has no such credential.
  /// - Throws: ``ChappieAuthError`` when the keyring cannot be searched, and nothing was removed; `CancellationError`.
  package static func signOut(
    _ application: String, account: String?, _ configuration: ChappieConfiguration, interaction: UserInteraction
  ) async throws -> [Part] {
    let interaction = await LockGate(unknown: configuration.unknownLockPolicy).interaction(interaction)
    do {
      let slots = try await stored(interaction).filter { account == nil || $0.account == account }
      let own = slots.filter { $0.appID.map(ChappieApplicationID.shown) == application }
      var parts: [Part] = []
      for slot in own.isEmpty ? slots.filter({ $0.accessGroup == application }) : own {
        parts.append(await signOut(slot, configuration, interaction))
      }
      return parts
    } catch let error as CredentialError {
      throw ChappieAuthError(error)
    }
  }

  /// The slots with a credential. Sign-ins of others end only if the keyring is locked, when they cannot end well.
  private static func stored(_ interaction: UserInteraction) async throws -> [SlotIdentity] {
    do {
      return try await SlotRegistry.owners()
    } catch CredentialError.locked where interaction == .allowed {
      return try await SlotRegistry.stored(interaction: interaction)
    }
  }
}

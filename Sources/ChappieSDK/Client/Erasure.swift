import GLibBridge

/// Removes what programs have stored in the keyring with this library: every credential and every key of threads, of
/// each application, account and access group.
@GLibActor
package enum Erasure {
  /// One erased secret, or one that could not be erased.
  package struct Part: Sendable {
    package enum Kind: String, Sendable {
      case credential
      case threadKey = "thread-key"
    }

    package let kind: Kind
    package let account: String
    /// Nil without an access group.
    package let accessGroup: String?
    /// The application for messages. Nil for the desktop user's own secret.
    package let application: String?
    /// A credential that was only not revoked has ``ChappieAuthError/revocationFailed(_:)``, and is removed.
    package let error: ChappieAuthError?

    fileprivate init(_ kind: Kind, _ slot: SlotIdentity, _ error: CredentialError?) {
      self.kind = kind
      account = slot.account
      accessGroup = slot.accessGroup
      application = slot.appID.map(ChappieApplicationID.shown)
      self.error = error.map { ChappieAuthError($0) }
    }
  }

  /// Signs each slot out, as ``ChappieAuthSession/signOutAndWait()`` does, and destroys each key of threads.
  ///
  /// - Parameters:
  ///   - configuration: the servers that revoke credentials, and the lock policy.
  ///   - interaction: whether a locked keyring may prompt for its password.
  /// - Throws: ``ChappieAuthError`` when the keyring cannot be searched, and nothing was removed; `CancellationError`.
  package static func run(_ configuration: ChappieConfiguration, interaction: UserInteraction) async throws -> [Part] {
    let interaction = await LockGate(unknown: configuration.unknownLockPolicy).interaction(interaction)
    do {
      let credentials = try await SlotRegistry.stored(interaction: interaction)
      let keys = try await ThreadKeyRegistry.stored(interaction: interaction)
      var parts: [Part] = []
      for identity in credentials { parts.append(await signOut(identity, configuration, interaction)) }
      for identity in keys { parts.append(await destroyKey(identity, configuration)) }
      return parts
    } catch let error as CredentialError {
      throw ChappieAuthError(error)
    }
  }

  private static func signOut(
    _ identity: SlotIdentity, _ configuration: ChappieConfiguration, _ interaction: UserInteraction
  ) async -> Part {
    let slot = SlotRegistry.slot(identity, configuration.backend, configuration.unknownLockPolicy)
    do {
      let finding = try await slot.find(.forbidden)
      try await slot.signOut(interaction: interaction).value
      if case .unusable(let reason) = finding {
        return Part(.credential, identity, .signIn(.revocationFailed(reason)))
      }
      return Part(.credential, identity, slot.state.lastError)
    } catch {
      return Part(.credential, identity, CredentialError(error))
    }
  }

  private static func destroyKey(_ identity: SlotIdentity, _ configuration: ChappieConfiguration) async -> Part {
    do {
      // The weaker rule: to delete a key nobody has to read it.
      let slot = ThreadKeyRegistry.slot(identity, .afterFirstUnlockThisDeviceOnly, configuration.unknownLockPolicy)
      try await slot.destroy()
      return Part(.threadKey, identity, nil)
    } catch {
      return Part(.threadKey, identity, CredentialError(error))
    }
  }
}

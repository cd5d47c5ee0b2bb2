// SPDX-License-Identifier: Apache-2.0
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

    /// Whether the secret is still in the keyring.
    fileprivate var isStored: Bool {
      if case .revocationFailed = error { false } else { error != nil }
    }

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
    return try await ChappieAuthError.converting {
      var results: [(part: Part, identity: SlotIdentity)] = []
      // A program may sign in again while the server revokes the others.
      for _ in 0..<passes {
        let credentials = try await SlotRegistry.stored(interaction: interaction).map { (Part.Kind.credential, $0) }
        let keys = try await ThreadKeyRegistry.keyring.slots(interaction: interaction).map { (Part.Kind.threadKey, $0) }
        // A secret that could not be erased before stays.
        let secrets = (credentials + keys).filter { kind, identity in
          !results.contains { $0.part.kind == kind && $0.identity == identity && $0.part.isStored }
        }
        if secrets.isEmpty { break }
        for (kind, identity) in secrets {
          let part =
            kind == .credential
            ? await signOut(identity, configuration, interaction) : await destroyKey(identity, configuration)
          results.removeAll { $0.part.kind == kind && $0.identity == identity }
          results.append((part, identity))
        }
      }
      await RegistrationFile.removeAll()
      return results.map(\.part)
    }
  }

  /// The maximum number of searches for secrets.
  private static let passes = 5

  static func signOut(
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
    return try await ChappieAuthError.converting {
      let slots = try await stored(interaction).filter { account == nil || $0.account == account }
      let own = slots.filter { $0.appID.map(ChappieApplicationID.shown) == application }
      var parts: [Part] = []
      for slot in own.isEmpty ? slots.filter({ $0.accessGroup == application }) : own {
        parts.append(await signOut(slot, configuration, interaction))
      }
      return parts
    }
  }

  /// The slots with a credential. Sign-ins of others end only if the keyring is locked, when they cannot end well.
  private static func stored(_ interaction: UserInteraction) async throws -> [SlotIdentity] {
    do {
      return try await SlotRegistry.store.slots(interaction: .forbidden)
    } catch CredentialError.locked where interaction == .allowed {
      return try await SlotRegistry.stored(interaction: interaction)
    }
  }
}

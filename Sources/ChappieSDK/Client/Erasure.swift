// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

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
          let part = await erase(kind, identity, configuration, interaction)
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

  private static func erase(
    _ kind: Part.Kind, _ identity: SlotIdentity, _ configuration: ChappieConfiguration, _ interaction: UserInteraction
  ) async -> Part {
    do {
      switch kind {
      case .credential:
        let slot = SlotRegistry.slot(identity, configuration.backend, configuration.unknownLockPolicy)
        let finding = try await slot.find(.forbidden)
        try await slot.signOut(interaction: interaction).value
        if case .unusable(let reason) = finding { throw CredentialError.signIn(.revocationFailed(reason)) }
        return Part(kind, identity, slot.state.lastError)
      case .threadKey:
        // The weaker rule: to delete a key nobody has to read it.
        let slot = ThreadKeyRegistry.slot(identity, .afterFirstUnlockThisDeviceOnly, configuration.unknownLockPolicy)
        try await slot.destroy()
        return Part(kind, identity, nil)
      }
    } catch {
      return Part(kind, identity, CredentialError(error))
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
        parts.append(await erase(.credential, slot, configuration, interaction))
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

/// A credential in the keyring, and the program that it belongs to. It holds neither a token nor an account's address.
package struct StoredCredential: Sendable {
  package let account: String
  /// Nil without an access group.
  package let accessGroup: String?
  /// The application for messages. Nil for the desktop user's own credential.
  package let application: String?
  /// The sign-in method that made it. Nil while it cannot be read.
  package let method: ChappieSignInMethod?
  /// The state of the sign-in; ``ChappieAuthState/restoring`` while it is unknown.
  package let state: ChappieAuthState

  /// The credentials of every application, account and access group.
  ///
  /// - Parameter configuration: the servers of the credentials, and the lock policy.
  /// - Throws: ``ChappieAuthError`` when the keyring is locked or cannot be searched; `CancellationError`.
  @GLibActor
  package static func all(_ configuration: ChappieConfiguration) async throws -> [StoredCredential] {
    defer { MemoryHardening.wipeStack() }
    return try await ChappieAuthError.converting {
      var credentials: [StoredCredential] = []
      for identity in try await SlotRegistry.store.slots(interaction: .forbidden) {
        let slot = SlotRegistry.slot(identity, configuration.backend, configuration.unknownLockPolicy)
        credentials.append(await StoredCredential(slot))
      }
      return credentials
    }
  }

  /// Reads the credential if the slot has not seen it yet, without a change of the slot's own state.
  @GLibActor
  private init(_ slot: CredentialSlot) async {
    var state = slot.state
    if state.holding == nil {
      switch try? await slot.find(.forbidden) {
      // Another program removes it now, or the keyring is silent.
      case .some(.none), nil: break
      case let finding?: for event in slot.events(finding) { state.apply(event) }
      }
    }
    account = slot.identity.account
    accessGroup = slot.identity.accessGroup
    application = slot.identity.appID.map(ChappieApplicationID.shown)
    method = state.holding?.method
    self.state = state.state
  }
}

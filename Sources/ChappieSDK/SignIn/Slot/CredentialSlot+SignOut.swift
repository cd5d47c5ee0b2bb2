import GLibBridge
import Platform

/// Signing out, and having the server revoke what is not used any more.
extension CredentialSlot {
  /// Removes this slot's credential, then asks the server to revoke it. What may not be read now is removed without.
  ///
  /// - Returns: what ends with the server's answer, once the state says what went wrong.
  /// - Throws: ``CredentialError``.
  @discardableResult
  func signOut(interaction: UserInteraction) async throws(CredentialError) -> Task<Void, Never> {
    await endWhatIsUnderWay()
    do {
      let interaction = await gate.interaction(interaction)
      // Before the lock: nobody else shall wait for the user.
      if interaction == .allowed { try await store.unlock(identity, interaction: interaction) }
      let lock = try await SlotFileLock.take(identity)
      defer { withExtendedLifetime(lock) {} }
      let finding = try await find(.forbidden)
      return try await changing {
        try await store.delete(identity, interaction: interaction)
        let newest = pending?.credential.credential ?? finding.credential
        pending = nil
        apply(.signedOut)
        let revocation = newest.map { revoke($0) }
        return Task.onGLib {
          if let error = await revocation?.value { apply(.revocationFailed(error)) }
        }
      }
    } catch {
      let error = CredentialError(error)
      apply(.storeFailed(error))
      throw error
    }
  }

  /// A sign-in or a refresh that went on would bring back what is about to be removed.
  private func endWhatIsUnderWay() async {
    if case .running(let task) = signIn {
      task.cancel()
      await task.value
    }
    await refreshEnded()
  }

  /// Asks the server to forget tokens, while nobody waits for it.
  ///
  /// - Returns: what went wrong, once it is over; nil for nothing.
  @discardableResult
  func revoke(_ credential: Credential) -> Task<CredentialError?, Never> {
    Task.onGLib { [method, identity] in
      defer { MemoryHardening.wipeStack() }
      do {
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
}

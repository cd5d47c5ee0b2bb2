// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Signs out and has the server revoke unused tokens.
extension CredentialSlot {
  /// Removes this slot's credential, then asks the server to revoke it. A credential that cannot be read now is removed
  /// without a revocation.
  ///
  /// - Returns: a task that ends with the server's answer, after the state shows any error.
  /// - Throws: ``CredentialError``.
  @discardableResult
  func signOut(interaction: UserInteraction) async throws(CredentialError) -> Task<Void, Never> {
    await endWhatIsUnderWay()
    do {
      let interaction = await gate.interaction(interaction)
      // The prompt for the password comes before the lock, so no other process waits for the user.
      if interaction == .allowed { try await store.unlock(identity, interaction: interaction) }
      switch try await find(.forbidden) {
      // The lock is a file, and a slot without a credential gets none: anybody can name any number of accounts.
      case .none where pending == nil && !SlotFileLock.wasTaken(identity):
        apply(.signedOut)
        return Task.onGLib { await revokeAll([]) }
      case .hidden(let error): throw error
      case .none, .locked, .unusable, .secret: break
      }
      let lock = try await SlotFileLock.take(identity)
      defer { withExtendedLifetime(lock) {} }
      let finding = try await find(.forbidden)
      // The keyring was locked meanwhile: a credential that it hides would be removed without a revocation.
      if case .hidden(let error) = finding { throw error }
      return try await changing {
        let newest = pending?.credential.credential ?? finding.credential
        if let newest { await list(newest) }
        // A locked item is not deleted, so none asks for its password here. Some keyrings ask the user to confirm it, and
        // that has to be under the lock: what is deleted is what was found.
        try await store.delete(identity, interaction: interaction)
        pending = nil
        apply(.signedOut)
        return Task.onGLib { await revokeAll([newest].compactMap(\.self)) }
      }
    } catch {
      let error = CredentialError(error)
      apply(.storeFailed(error))
      throw error
    }
  }

  /// The longest wait of a caller that signs out.
  private static let revocationDeadline = Duration.seconds(10)

  /// A user who signs out leaves no token behind, not even one that the server has not been told of.
  private func revokeAll(_ others: [Credential]) async {
    do {
      guard
        let error = try await withDeadline(Self.revocationDeadline, { await self.revokeUnused(others, isFinal: true) })
      else { return }
      apply(.revocationFailed(error))
    } catch {
      apply(.revocationFailed(.signIn(.revocationFailed("it did not answer in time"))))
    }
  }

  /// Ends a running sign-in or refresh, because it would restore the removed credential.
  func endWhatIsUnderWay() async {
    if case .running(_, let task) = signIn {
      task.cancel()
      await task.value
    }
    await refreshEnded()
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Redeems refresh tokens that the server takes once.
///
/// The stored credential is marked before its token is sent. If the answer is lost, by the network or by the end of this
/// process, the mark stays, and nobody sends the token again: the server would take it for a stolen one. The access
/// token is used until it expires.
extension CredentialSlot {
  /// Asks the server to refresh `current`.
  ///
  /// - Throws: ``ChappieAuthError``, ``RedemptionLost``, ``UnusableRenewal``, ``CredentialError``, `CancellationError`.
  func redeem(
    _ current: Credential, _ accessibility: ChappieKeychainAccessibility, _ method: any SignInMethod
  ) async throws -> Credential {
    guard method.redeemsOnce else { return try await method.refresh(current) }
    // A process that ends here has not sent the token, and costs no sign-in.
    try await method.prepareRefresh()
    var marked = current
    // Whatever a failure leaves in the keyring, the time of a mistaken mark stays the same.
    marked.redeemedAt = mistakenMark ?? .now
    do {
      try await rewrite(marked, accessibility)
      mistakenMark = nil
      return try await method.refresh(current)
    } catch let lost as RedemptionLost {
      Log.notice(
        "The answer to a renewal was lost, and the server renews each sign-in once: \(lost.error).",
        slot: identity.logSlot)
      throw lost
    } catch let unusable as UnusableRenewal {
      throw unusable
    } catch let error as ChappieAuthError where error.requiresReauthentication {
      throw error
    } catch {
      // The server has not redeemed the token. A keyring that was locked meanwhile keeps the mark, and one that failed
      // to take it may have it.
      do { try await rewrite(current, accessibility) } catch { mistakenMark = marked.redeemedAt }
      throw error
    }
  }

  /// Removes a mark that the keyring did not let go when its token was not sent: the next process would take it for one
  /// of a token that was.
  func removeMistakenMark() async {
    guard let mistakenMark, let lock = try? await SlotFileLock.take(identity) else { return }
    defer { withExtendedLifetime(lock) {} }
    guard let (stored, accessibility) = try? await read(), stored.redeemedAt == mistakenMark else { return }
    var current = stored
    current.redeemedAt = nil
    guard (try? await rewrite(current, accessibility)) != nil else { return }
    self.mistakenMark = nil
  }

  /// Stores that a sign-in whose access token is of no use cannot be renewed, and returns the error for it.
  func lostRenewal(of credential: Credential, _ accessibility: ChappieKeychainAccessibility) async -> CredentialError {
    var marked = credential
    marked.redeemedAt = credential.redeemedAt ?? .now
    let error = ChappieAuthError.ended("the answer to its renewal was lost")
    await noteRefusal(of: marked, accessibility, error, isFirst: false)
    return reauthenticationRequired
  }

  private func rewrite(_ credential: Credential, _ accessibility: ChappieKeychainAccessibility) async throws {
    try await changing {
      try await store.write(credential, for: identity, accessibility: accessibility, interaction: .forbidden)
    }
  }
}

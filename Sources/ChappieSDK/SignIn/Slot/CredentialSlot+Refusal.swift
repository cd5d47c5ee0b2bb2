// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Handles refresh tokens that the server refuses.
extension CredentialSlot {
  /// The pause after a refusal, in seconds. The server is not asked again during it, and only a refusal after it counts
  /// as the second.
  static let refusalPause: Int64 = 600

  /// Stores a refusal. One refusal may be a mistake of the server or of a proxy, so the refresh token stays in the
  /// keyring until a second one.
  func noteRefusal(
    of credential: Credential, _ accessibility: ChappieKeychainAccessibility, _ error: ChappieAuthError, isFirst: Bool
  ) async {
    await changing {
      var refused = credential
      let now = clock()
      refused.refusedAt = now
      if !isFirst { refused.refreshToken = nil }
      do {
        try await store.write(refused, for: identity, accessibility: accessibility, interaction: .forbidden)
        pendingRefusal = nil
      } catch {
        pendingRefusal = PendingRefusal(renewedAt: credential.renewedAt, moment: now)
      }
      Log.notice(
        refused.refreshToken != nil
          ? "The refresh was refused: \(error). The sign-in is kept, and tried once more in ten minutes at the earliest."
          : "The refresh was refused: \(error). The sign-in has ended and cannot be renewed any more.",
        slot: identity.logSlot)
      apply(.refreshRefused(.signIn(error), renewedAt: credential.renewedAt))
    }
  }

  /// What the server has said about the refresh token of `credential`.
  func refusal(of credential: Credential) -> CredentialSituation.Refusal {
    let unstored = pendingRefusal.flatMap { $0.renewedAt == credential.renewedAt ? $0.moment : nil }
    guard let moment = credential.refusedAt ?? unstored else { return state.isSpent ? .final : .none }
    guard credential.refreshToken != nil else { return .final }
    return clock().minimumSeconds(since: moment) >= Self.refusalPause ? .old : .recent
  }

  var reauthenticationRequired: CredentialError {
    if case .signIn(.missingRefreshToken) = state.lastError { return .signIn(.missingRefreshToken) }
    return .reauthenticationRequired
  }
}

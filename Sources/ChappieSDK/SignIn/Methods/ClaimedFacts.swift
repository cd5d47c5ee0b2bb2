// SPDX-License-Identifier: Apache-2.0
import Platform

/// The facts about a credential in the claims of its tokens.
extension Credential {
  /// The owner, from the ID token or, without one, from the access token.
  var claimedAccount: ChappieAccountInfo {
    let claims = idToken.flatMap(TokenClaims.init) ?? TokenClaims(accessToken)
    return ChappieAccountInfo(
      email: claims?.email, userID: claims?.userID, accountID: claims?.accountID,
      plan: claims?.plan.map(ChappiePlan.init))
  }

  /// Whether requests must carry the FedRAMP header.
  var claimsFedRAMP: Bool {
    idToken.flatMap(TokenClaims.init)?.isFedRAMP ?? false
  }

  /// The times of the access token. A time that is none counts as missing.
  var claimedValidity: TokenValidity {
    guard let expiresAt = TokenClaims(accessToken)?.expiresAt else {
      return TokenValidity(dueAt: renewedAt + Self.opaqueTokenLifetime + 1)
    }
    return TokenValidity(expiresAt: expiresAt, dueAt: expiresAt - Self.renewalMargin)
  }

  /// A refresh is due this many seconds before the token expires.
  static let renewalMargin: Int64 = 300
  /// A token of unknown expiry is due for refresh after this many seconds, which are eight days.
  static let opaqueTokenLifetime: Int64 = 691_200
}

// SPDX-License-Identifier: Apache-2.0
import SecretMemory

/// The part of a credential that a request to the backend needs: the access token and the facts about its account. It
/// holds no refresh token, so an hour-long turn keeps none in memory.
struct AccessGrant: Sendable {
  /// The method that authorizes requests with this grant.
  let method: any SignInMethod
  let accessToken: SecretBytes
  /// The account that requests belong to. Nil if the token names none.
  let accountID: String?
  /// Whether requests must carry the FedRAMP header.
  let isFedRAMP: Bool
  let planUse: ChappiePlanUse

  init(_ method: any SignInMethod, _ credential: Credential, accountID: String?, isFedRAMP: Bool = false) {
    self.method = method
    accessToken = credential.accessToken
    self.accountID = accountID
    self.isFedRAMP = isFedRAMP
    planUse = method.planUse(of: credential)
  }

  /// The backend that takes this grant.
  var backend: BackendProfile { method.backend }
}

/// Distinguishes credentials without holding a token.
struct CredentialMark: Equatable {
  private let fingerprint: [UInt8]

  init(_ grant: AccessGrant) {
    fingerprint = KeyDerivation.fingerprint(of: grant.accessToken)
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// The part of a credential that a request to the backend needs: the access token and the facts about its account. It
/// holds no refresh token, so an hour-long turn keeps none in memory.
struct AccessGrant: Sendable {
  /// The backend that takes this grant.
  let backend: BackendProfile
  let accessToken: SecretBytes
  /// The account that requests belong to. Nil if the token names none.
  let accountID: String?
  let planUse: ChappiePlanUse
  private let headers: [(name: String, value: String)]

  init(_ method: any SignInMethod, _ credential: Credential) {
    let facts = method.facts(of: credential)
    backend = method.backend
    accessToken = credential.accessToken
    accountID = facts.requester
    planUse = facts.planUse
    headers = facts.headers
  }

  /// Adds the headers that identify the user to the backend.
  func authorize(_ request: inout HTTPRequest) {
    request.setHeader("authorization", prefix: "Bearer ", secret: accessToken)
    for (name, value) in headers { request.setHeader(name, value) }
  }
}

/// Distinguishes credentials without holding a token.
struct CredentialMark: Equatable {
  private let fingerprint: [UInt8]

  init(_ grant: AccessGrant) {
    fingerprint = KeyDerivation.fingerprint(of: grant.accessToken)
  }
}

/// The backend of a sign-in method, as its requests need to know it.
struct BackendProfile: Sendable {
  /// The address for a conversation's turns.
  let responsesURL: String
  /// The address of the model list.
  let modelsURL: String
  /// The address of the plan's usage. Nil when the backend does not tell of it.
  let usageURL: String?
  /// The page on which the user sees and limits the plan's usage. Nil when there is none for applications.
  let manageUsageURL: String?
  /// The headers that name this client. It does not pretend to be another.
  let clientHeaders: [(name: String, value: String)]
  /// The names of the headers that carry the conversation's id.
  let threadHeaders: [String]
  /// Whether turns may go over a WebSocket.
  let hasWebSocket: Bool
  /// Whether the bodies of requests may be compressed.
  let takesCompression: Bool
  /// Whether models can need the lite form of requests.
  let hasLiteForm: Bool
  /// Whether each listed model answers, even if the list does not say so.
  let servesListedModels: Bool
  /// Whether the user must have allowed the use of the plan while nobody is present.
  let needsBackgroundConsent: Bool
}

// SPDX-License-Identifier: Apache-2.0

/// The short name of an error: that of the D-Bus error without its prefix. org.chappie(7) tells what it means.
package enum ErrorName: String, CaseIterable, Sendable {
  case missingCredential = "MissingCredential"
  case missingRefreshToken = "MissingRefreshToken"
  case missingAccountID = "MissingAccountID"
  case reauthenticationRequired = "ReauthenticationRequired"
  case tokenExchangeFailed = "TokenExchangeFailed"
  case revocationFailed = "RevocationFailed"
  case accountMismatch = "AccountMismatch"
  case signInDeclined = "SignInDeclined"
  case signInExpired = "SignInExpired"
  case planUseNotGranted = "PlanUseNotGranted"
  case planUseNotEligible = "PlanUseNotEligible"
  case unsupportedCapability = "UnsupportedCapability"
  case usageLimitReached = "UsageLimitReached"
  case rateLimited = "RateLimited"
  case missingToolHandler = "MissingToolHandler"
  case toolApprovalDenied = "ToolApprovalDenied"
  case toolLoopLimitExceeded = "ToolLoopLimitExceeded"
  case streamingTransportReplayDiverged = "StreamingTransportReplayDiverged"
  case httpError = "HTTPError"
  case network = "Network"
  case locked = "Locked"
  case keyringUnavailable = "KeyringUnavailable"
  case accessDenied = "AccessDenied"
  case invalidArgument = "InvalidArgument"
  case limitExceeded = "LimitExceeded"
  case cancelled = "Cancelled"
  case noSuchTurn = "NoSuchTurn"
  case noSuchThread = "NoSuchThread"
  case storeFull = "StoreFull"
  case storeUnavailable = "StoreUnavailable"
}

extension ChappieClientError {
  package var errorName: ErrorName {
    switch self {
    case .missingCredential: .missingCredential
    case .missingRefreshToken: .missingRefreshToken
    case .missingAccountID: .missingAccountID
    case .reauthenticationRequired: .reauthenticationRequired
    case .planUseNotGranted: .planUseNotGranted
    case .planUseNotEligible: .planUseNotEligible
    case .unsupportedCapability: .unsupportedCapability
    case .usageLimitReached: .usageLimitReached
    case .missingToolHandler: .missingToolHandler
    case .toolApprovalDenied: .toolApprovalDenied
    case .toolLoopLimitExceeded: .toolLoopLimitExceeded
    case .streamingTransportReplayDiverged: .streamingTransportReplayDiverged
    case .httpError(429, _): .rateLimited
    case .httpError: .httpError
    case .signInServer(.applicationRemoved): .httpError
    case .signInServer(let error): error.status.map { $0 == 429 ? .rateLimited : .httpError } ?? .network
    case .network: .network
    case .locked: .locked
    case .keyringUnavailable: .keyringUnavailable
    case .invalidArgument: .invalidArgument
    case .limitExceeded: .limitExceeded
    }
  }
}

extension ChappieAuthError {
  /// The HTTP status of the sign-in server's reply; nil if the failure has another cause.
  package var status: Int? {
    switch self {
    case .tokenExchangeFailed(let status, _), .renewalFailed(let status, _), .deviceCodeRequestFailed(let status, _):
      status
    default: nil
    }
  }

  package var errorName: ErrorName {
    switch self {
    case .missingRefreshToken: .missingRefreshToken
    case .tokenExchangeFailed: .tokenExchangeFailed
    case .ended: .reauthenticationRequired
    case .deviceCodeRequestFailed, .renewalFailed, .invalidResponse, .identityNotVerified, .applicationRemoved:
      .httpError
    case .accountMismatch: .accountMismatch
    case .declined: .signInDeclined
    case .expired: .signInExpired
    case .cancelled: .cancelled
    case .invalidAddress: .invalidArgument
    case .network, .renewalTooEarly: .network
    case .revocationFailed: .revocationFailed
    case .locked: .locked
    case .keyringUnavailable: .keyringUnavailable
    }
  }
}

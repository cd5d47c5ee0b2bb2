// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

extension ChappieTurnEvent {
  /// The event that records the failure of a turn.
  static func failure(_ error: any Error) -> ChappieTurnEvent {
    switch error {
    case let error as ChappieClientError: .error(name: error.name, message: error.description)
    case is CancellationError: .error(name: "cancelled", message: "The turn was cancelled.")
    default: .error(name: "other", message: "\(error)")
    }
  }
}

extension ChappieClientError {
  /// The name of the case in stored threads. It never changes.
  var name: String {
    switch self {
    case .missingCredential: "missing-credential"
    case .missingRefreshToken: "missing-refresh-token"
    case .missingAccountID: "missing-account-id"
    case .reauthenticationRequired: "reauthentication-required"
    case .planUseNotGranted: "plan-use-not-granted"
    case .planUseNotEligible: "plan-use-not-eligible"
    case .unsupportedCapability: "unsupported-capability"
    case .usageLimitReached: "usage-limit-reached"
    case .missingToolHandler: "missing-tool-handler"
    case .toolApprovalDenied: "tool-approval-denied"
    case .toolLoopLimitExceeded: "tool-loop-limit-exceeded"
    case .streamingTransportReplayDiverged: "streaming-transport-replay-diverged"
    case .httpError: "http-error"
    case .signInServer: "sign-in-server"
    case .network: "network"
    case .locked: "locked"
    case .keyringUnavailable: "keyring-unavailable"
    case .invalidArgument: "invalid-argument"
    case .limitExceeded: "limit-exceeded"
    }
  }
}

/// An error of ``ChappieRuntime`` after the model has answered.
public enum ChappieRuntimeError: Error, Sendable, Hashable {
  /// The turn could not be stored. The values are the answer and the reason. The conversation continues without this
  /// turn.
  case notStored(ChappieResponse, ChappieThreadStoreError)
}

extension ChappieRuntimeError: CustomStringConvertible {
  /// The error and its remedy, for a person.
  public var description: String {
    switch self {
    case .notStored(_, let reason): "The answer could not be stored. \(reason)"
    }
  }
}

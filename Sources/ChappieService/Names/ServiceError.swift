import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The D-Bus errors: the prefix `org.chappie.Error.` and the case's name.
public enum ServiceErrorName: String, CaseIterable, Sendable {
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

  public var busName: String { "org.chappie.Error.\(rawValue)" }
}

extension BusError {
  init(_ name: ServiceErrorName, _ message: String) {
    self.init(name: name.busName, message: message)
  }

  /// The D-Bus error that a caller gets for `error`.
  init(_ error: any Error) {
    switch error {
    case let error as BusError: self = error
    case let error as VariantError: self.init(.invalidArgument, "\(error).")
    case let error as ChappieClientError: self.init(error.errorName, error.description)
    case let error as ChappieAuthError: self.init(error.errorName, error.description)
    case let error as ChappieThreadStoreError: self.init(error.errorName, error.description)
    case let error as BusMessageTooLong:
      self.init(
        .limitExceeded,
        "The reply would have \(error.bytes) bytes, and \(BusMessageTooLong.limit) are allowed: ask for less.")
    case is CancellationError: self.init(.cancelled, "It was cancelled.")
    case let error as GLibError: self.init(.network, error.message)
    default: self.init(.network, "It failed in an unexpected way.")
    }
  }
}

extension ChappieClientError {
  var errorName: ServiceErrorName {
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

extension ChappieThreadStoreError {
  var errorName: ServiceErrorName {
    switch self {
    case .noSuchThread: .noSuchThread
    case .exists: .invalidArgument
    case .full: .storeFull
    case .locked: .locked
    case .keyringUnavailable: .keyringUnavailable
    case .unavailable, .busy, .unreadable: .storeUnavailable
    }
  }
}

extension BusError {
  /// The D-Bus error for a turn with an answer that could not be stored.
  init(_ error: ChappieRuntimeError, turn: String) {
    switch error {
    case .notStored(_, let reason):
      self.init(reason.errorName, "\(error) Ask GetTurn for \(turn) to have it.")
    }
  }
}

extension ChappieAuthError {
  /// The HTTP status of the sign-in server's reply; nil if the failure has another cause.
  var status: Int? {
    switch self {
    case .tokenExchangeFailed(let status, _), .renewalFailed(let status, _), .deviceCodeRequestFailed(let status, _):
      status
    default: nil
    }
  }

  var errorName: ServiceErrorName {
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

/// The fixed paths.
enum ServicePaths {
  static let root = ObjectPath.root.appending("org").appending("chappie")
  static let accounts = root.appending("account")
}

/// The interfaces that more than one file names.
enum ServiceInterfaces {
  static let client = "org.chappie.Client"
  static let threads = "org.chappie.Threads"
}

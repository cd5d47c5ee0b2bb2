import GLibBridge

/// Where a sign-in stands.
public enum ChappieAuthState: String, Sendable, Hashable, CaseIterable {
  /// The keyring has not been asked yet, or does not answer: nothing is known.
  case restoring
  case signedOut = "signed-out"
  case signingIn = "signing-in"
  case signedIn = "signed-in"
  /// The stored credential can no longer be refreshed: show your sign-in.
  case reauthenticationRequired = "reauthentication-required"
}

extension ChappieAuthState: LogValue {}

/// How far the device-code exchange is.
public enum ChappieDeviceLinkState: String, Sendable, Hashable, CaseIterable {
  case idle
  case requestingCode = "requesting-code"
  /// The code is known; the user has yet to enter and approve it.
  case waitingForApproval = "waiting-for-approval"
  case exchanging
  case linked
  case declined
  case expired
  case cancelled
  case failed

  /// Whether a sign-in runs.
  public var isRunning: Bool {
    switch self {
    case .requestingCode, .waitingForApproval, .exchanging: true
    case .idle, .linked, .declined, .expired, .cancelled, .failed: false
    }
  }
}

/// The code that the user enters, and where.
public struct ChappieDeviceCode: Sendable, Hashable {
  public let userCode: String
  /// The page that takes the code.
  public let verificationURI: String
  /// When the code stops working: Unix seconds in UTC.
  public let expiresAt: Int64

  package init(userCode: String, verificationURI: String, expiresAt: Int64) {
    self.userCode = userCode
    self.verificationURI = verificationURI
    self.expiresAt = expiresAt
  }
}

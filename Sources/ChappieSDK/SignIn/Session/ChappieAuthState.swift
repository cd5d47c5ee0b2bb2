import GLibBridge

/// The state of a sign-in.
public enum ChappieAuthState: String, Sendable, Hashable, CaseIterable {
  /// The keyring has not answered yet: nothing is known.
  case restoring
  case signedOut = "signed-out"
  case signingIn = "signing-in"
  case signedIn = "signed-in"
  /// The stored credential cannot be refreshed any more. Show your sign-in.
  case reauthenticationRequired = "reauthentication-required"
}

extension ChappieAuthState: LogValue {}

/// The progress of the device-code exchange.
public enum ChappieDeviceLinkState: String, Sendable, Hashable, CaseIterable {
  case idle
  case requestingCode = "requesting-code"
  /// The code is known. The user has yet to enter and approve it.
  case waitingForApproval = "waiting-for-approval"
  case exchanging
  case linked
  case declined
  case expired
  case cancelled
  case failed

  /// Whether a sign-in is running.
  public var isRunning: Bool {
    switch self {
    case .requestingCode, .waitingForApproval, .exchanging: true
    case .idle, .linked, .declined, .expired, .cancelled, .failed: false
    }
  }
}

/// A device code and the page where the user enters it.
public struct ChappieDeviceCode: Sendable, Hashable {
  public let userCode: String
  /// The address of the page for the code.
  public let verificationURI: String
  /// The code's expiry: Unix seconds in UTC.
  public let expiresAt: Int64

  package init(userCode: String, verificationURI: String, expiresAt: Int64) {
    self.userCode = userCode
    self.verificationURI = verificationURI
    self.expiresAt = expiresAt
  }
}

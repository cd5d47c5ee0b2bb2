import Platform

/// The exit statuses of the command. chappie(1) lists them too; a test compares the two.
enum ExitStatus: Int32, CaseIterable {
  case success = 0
  case failed = 1
  case usage = 2
  case signInNeeded = 3
  case keyringNeeded = 4
  case serviceMissing = 5
  case usageLimitReached = 6
  case rateLimited = 7
  case noNetwork = 8
  case noSuchModel = 9
  case refused = 10
  case declined = 11
  case notRevoked = 12
  case unfit = 13
  case notOffered = 14
  case signInNotApproved = 15
  case interrupted = 130

  /// The meaning, in a sentence.
  var meaning: String {
    switch self {
    case .success: tr("Success.")
    case .failed: tr("The request failed, or the output could not be written.")
    case .usage: tr("The command line is wrong, or names a file that cannot be used.")
    case .signInNeeded: tr("Nobody is signed in, or the user has to sign in again.")
    case .keyringNeeded: tr("The keyring or the screen is locked, or there is no keyring.")
    case .serviceMissing: tr("The service is not installed or does not start, or there is no session bus.")
    case .usageLimitReached: tr("The usage limit of the plan is reached.")
    case .rateLimited: tr("Too many requests were sent in a short time.")
    case .noNetwork: tr("The server was not reached, or its answer broke off.")
    case .noSuchModel: tr("The model does not exist.")
    case .refused: tr("The server refused the request or failed.")
    case .declined: tr("The model refused to answer; its refusal is printed.")
    case .notRevoked: tr("The credential was removed, but the server could not be asked to revoke it.")
    case .unfit: tr("The answer does not have the wanted form.")
    case .notOffered: tr("The backend of the sign-in does not offer what was asked for.")
    case .signInNotApproved: tr("The sign-in was declined, not approved in time, or of another account.")
    case .interrupted: tr("It was interrupted.")
    }
  }

  /// The status of a failure with this D-Bus name.
  init(errorName: String) {
    switch errorName {
    case "org.chappie.Error.MissingCredential", "org.chappie.Error.ReauthenticationRequired",
      "org.chappie.Error.MissingRefreshToken", "org.chappie.Error.PlanUseNotGranted":
      self = .signInNeeded
    case "org.chappie.Error.Locked", "org.chappie.Error.KeyringUnavailable": self = .keyringNeeded
    case "org.chappie.Error.UsageLimitReached": self = .usageLimitReached
    case "org.chappie.Error.RateLimited": self = .rateLimited
    case "org.chappie.Error.Network": self = .noNetwork
    case "org.chappie.Error.HTTPError", "org.chappie.Error.TokenExchangeFailed",
      "org.chappie.Error.PlanUseNotEligible":
      self = .refused
    case "org.chappie.Error.UnsupportedCapability": self = .notOffered
    case "org.chappie.Error.SignInDeclined", "org.chappie.Error.SignInExpired", "org.chappie.Error.AccountMismatch":
      self = .signInNotApproved
    case "org.chappie.Error.RevocationFailed": self = .notRevoked
    case "org.chappie.Error.Cancelled": self = .interrupted
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner", CommandFailure.noBus:
      self = .serviceMissing
    case _
    where errorName.hasPrefix("org.freedesktop.DBus.Error.Spawn") || errorName.hasPrefix("org.freedesktop.systemd1"):
      self = .serviceMissing
    default: self = .failed
    }
  }
}

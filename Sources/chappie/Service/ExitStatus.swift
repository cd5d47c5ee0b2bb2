// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
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
    self =
      switch ErrorName(busName: errorName) {
      case .missingCredential, .reauthenticationRequired, .missingRefreshToken, .planUseNotGranted: .signInNeeded
      case .locked, .keyringUnavailable: .keyringNeeded
      case .usageLimitReached: .usageLimitReached
      case .rateLimited: .rateLimited
      case .network: .noNetwork
      case .httpError, .tokenExchangeFailed, .planUseNotEligible: .refused
      case .unsupportedCapability: .notOffered
      case .signInDeclined, .signInExpired, .accountMismatch: .signInNotApproved
      case .revocationFailed: .notRevoked
      case .cancelled: .interrupted
      default: Self.missing.contains(where: errorName.hasPrefix) ? .serviceMissing : .failed
      }
  }

  /// The beginnings of the errors of a service that does not run, or of a missing bus.
  private static let missing = [
    "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner", CommandFailure.noBus,
    "org.freedesktop.DBus.Error.Spawn", "org.freedesktop.systemd1",
  ]
}

extension ErrorName {
  private static let prefix = "org.chappie.Error."

  /// The name on the bus.
  var busName: String { Self.prefix + rawValue }

  /// Nil for an error that is not the service's.
  init?(busName: String) {
    guard busName.hasPrefix(Self.prefix) else { return nil }
    self.init(rawValue: String(busName.dropFirst(Self.prefix.count)))
  }
}

extension GLibError {
  /// The name of an error of the service.
  var name: ErrorName? { busName.flatMap(ErrorName.init(busName:)) }
}

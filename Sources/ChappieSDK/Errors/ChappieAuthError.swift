// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// An error of a sign-in or of its refresh.
public enum ChappieAuthError: Error, Sendable, Hashable {
  /// The credential has no refresh token.
  case missingRefreshToken
  /// The token endpoint refused the request. A refresh counts as refused only if the answer contains an OAuth error
  /// that says so.
  case tokenExchangeFailed(status: Int, message: String)
  /// The token endpoint neither refreshed nor refused the sign-in: the answer came from a proxy or from a server with
  /// an error. The sign-in stays.
  case renewalFailed(status: Int, message: String)
  /// The server has ended the sign-in, or the answer to a renewal was lost and the server renews each sign-in once. The
  /// text gives the reason.
  case ended(String)
  /// The server renews the sign-in later only. The sign-in stays.
  case renewalTooEarly
  /// The server gave no device code.
  case deviceCodeRequestFailed(status: Int, message: String)
  /// The user declined the sign-in on the web page.
  case declined
  /// The code expired before the user approved it.
  case expired
  /// Somebody else has signed in on the page than the slot's user. Nothing was replaced.
  case accountMismatch
  /// The server does not know this application any more, as after the user has removed it in ChatGPT's settings. The
  /// next sign-in in the browser connects it anew.
  case applicationRemoved
  /// The server's proof of the user's identity is wrong, or cannot be checked. Nothing was stored.
  case identityNotVerified(String)
  /// This program cancelled the sign-in.
  case cancelled
  /// The server's answer is invalid.
  case invalidResponse(String)
  /// The address that was given to ``ChappieAuthSession/completeBrowserSignIn(_:)`` does not complete the sign-in. The
  /// text gives the reason and repeats nothing of the address.
  case invalidAddress(String)
  /// The server could not be reached.
  case network(String)
  /// The credential was removed here, but the server did not revoke it. The text gives the reason.
  case revocationFailed(String)
  /// The keyring or the screen is locked.
  case locked(String)
  /// The keyring is absent or does not answer.
  case keyringUnavailable(String)

  /// The answer to a renewal was lost, and the server renews each sign-in once.
  static let renewalLost = ended("the answer to its renewal was lost")

  static let noBrowserSignIn = invalidAddress(en("no sign-in in the browser waits for an address"))

  /// Whether only a new sign-in helps.
  public var requiresReauthentication: Bool {
    switch self {
    case .missingRefreshToken, .ended: true
    case .tokenExchangeFailed(let status, _): [400, 401, 403].contains(status)
    default: false
    }
  }
}

extension ChappieAuthError: CustomStringConvertible {
  /// The error and its remedy, in one sentence.
  public var description: String {
    switch self {
    case .missingRefreshToken: en("The stored sign-in cannot be renewed: sign in again.")
    case .tokenExchangeFailed(let status, ""): en("The sign-in server refused with status \(status).")
    case .tokenExchangeFailed(let status, let message):
      en("The sign-in server refused with status \(status): \(message.withoutFullStop).")
    case .renewalFailed(let status, ""):
      en(
        "The sign-in could not be renewed and is kept: the answer of the sign-in server had status \(status).")
    case .renewalFailed(let status, let message):
      en(
        """
        The sign-in could not be renewed and is kept: the answer of the sign-in server had status \(status): \
        \(message.withoutFullStop).
        """)
    case .ended(let reason): en("The sign-in has ended, for \(reason.withoutFullStop): sign in again.")
    case .renewalTooEarly:
      en("The sign-in server renews the sign-in in some minutes only: try again then.")
    case .deviceCodeRequestFailed(404, _):
      en(
        "Sign-in with a device code is not enabled on this server: turn it on in ChatGPT under Settings, Security.")
    case .deviceCodeRequestFailed(let status, ""):
      en("The sign-in server gave no code, with status \(status).")
    case .deviceCodeRequestFailed(let status, let message):
      en("The sign-in server gave no code, with status \(status): \(message.withoutFullStop).")
    case .declined: en("The sign-in was declined: start it again when you want it.")
    case .expired: en("The sign-in was not approved within its time: start it again.")
    case .accountMismatch:
      en(
        """
        Another account has signed in on the page than the one that is stored here, which stays: sign in with that one, \
        or ask for another account.
        """)
    case .applicationRemoved:
      en(
        """
        ChatGPT does not know this application any more, as after its removal in ChatGPT's settings: sign in again, \
        which connects it anew.
        """)
    case .identityNotVerified(let reason):
      en(
        """
        The sign-in server's proof of who signed in cannot be used (\(reason.withoutFullStop)): start the sign-in again.
        """)
    case .cancelled: en("The sign-in was cancelled.")
    case .invalidResponse(""): en("The sign-in server gave an answer that cannot be used.")
    case .invalidResponse(let message):
      en("The sign-in server gave an answer that cannot be used: \(message.withoutFullStop).")
    case .invalidAddress(let reason):
      en("This address does not complete the sign-in: \(reason.withoutFullStop).")
    case .network(let message): en("The sign-in server was not reached: \(message.withoutFullStop).")
    case .revocationFailed(let message):
      en(
        """
        The sign-in was removed here, but the server could not be told to revoke it (\(message.withoutFullStop)): it may \
        stay valid there, so end it in ChatGPT under Settings, Security.
        """)
    case .locked(let message), .keyringUnavailable(let message): message
    }
  }
}

extension ChappieAuthError: LogValue {
  /// The HTTP status of the sign-in server's reply; nil if the failure has another cause.
  package var status: Int? {
    switch self {
    case .tokenExchangeFailed(let status, _), .renewalFailed(let status, _), .deviceCodeRequestFailed(let status, _):
      status
    default: nil
    }
  }

  package var errorName: ErrorName { words.name }

  /// The error without text from a server.
  package var logText: String { words.log }

  private var words: (name: ErrorName, log: String) {
    switch self {
    case .missingRefreshToken: (.missingRefreshToken, "there is no refresh token")
    case .tokenExchangeFailed(let status, _):
      (.tokenExchangeFailed, "the sign-in server refused with status \(status)")
    case .renewalFailed(let status, _):
      (.httpError, "the sign-in server answered with status \(status), which refuses nothing")
    case .ended(let reason): (.reauthenticationRequired, "the sign-in has ended: \(reason.withoutFullStop)")
    case .renewalTooEarly: (.network, "the sign-in server renews it later only")
    case .accountMismatch: (.accountMismatch, "another account has signed in than the slot's")
    case .applicationRemoved: (.httpError, "the sign-in server does not know this application any more")
    case .identityNotVerified(let reason):
      (.httpError, "the proof of identity cannot be used: \(reason.withoutFullStop)")
    case .deviceCodeRequestFailed(let status, _):
      (.httpError, "the sign-in server gave no code, with status \(status)")
    case .declined: (.signInDeclined, "declined on the sign-in page")
    case .expired: (.signInExpired, "not approved in time")
    case .cancelled: (.cancelled, "cancelled here")
    case .invalidResponse: (.httpError, "the sign-in server gave an answer that cannot be used")
    case .invalidAddress(let reason):
      (.invalidArgument, "the address does not complete the sign-in: \(reason.withoutFullStop)")
    case .network(let reason): (.network, "the sign-in server was not reached: \(reason)")
    case .revocationFailed(let reason): (.revocationFailed, "the sign-in server did not revoke it: \(reason)")
    case .locked(let reason): (.locked, reason.withoutFullStop)
    case .keyringUnavailable(let reason): (.keyringUnavailable, reason.withoutFullStop)
    }
  }
}

extension String {
  /// The text without its full stop, for use inside a sentence.
  var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

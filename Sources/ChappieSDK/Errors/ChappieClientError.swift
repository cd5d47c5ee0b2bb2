// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// An error of a request.
public enum ChappieClientError: Error, Sendable, Hashable {
  /// Nobody is signed in to this slot.
  case missingCredential
  /// The credential cannot be refreshed: it has no refresh token.
  case missingRefreshToken
  /// The credential contains no account, but the backend requires one.
  case missingAccountID
  /// The sign-in has ended. The text gives the reason. Show your sign-in.
  case reauthenticationRequired(String)
  /// The user has not allowed this application to use the ChatGPT plan. Offer a sign-in that asks for it.
  case planUseNotGranted
  /// The server does not let this user or workspace use the plan here. Another sign-in does not help. The text is the
  /// server's reason.
  case planUseNotEligible(String)
  /// The backend of this sign-in does not offer what the request needs. The text names the parameter.
  case unsupportedCapability(String)
  /// The plan's quota is used up. Do not retry before its reset.
  case usageLimitReached(ChappieUsageLimit)
  /// The model called a tool without a handler. The text is the tool's name.
  case missingToolHandler(String)
  /// The approval of a tool was denied, and the denial ends the turn. The texts are the tool's name and the reason.
  case toolApprovalDenied(String, String)
  /// The model called tools in too many rounds. The number is the limit.
  case toolLoopLimitExceeded(Int)
  /// After a reconnection the backend sent a different answer. The text is the part received before. Ask again.
  case streamingTransportReplayDiverged(String)
  /// The backend answered with an unexpected status. The body is shortened and contains nothing that could be a token.
  case httpError(Int, String)
  /// The credential needed a refresh, but the sign-in server could not be reached or failed. The sign-in stays.
  case signInServer(ChappieAuthError)
  /// The backend could not be reached, or its answer broke off.
  case network(String)
  /// The keyring or the screen is locked, and the slot's accessibility forbids reading it now.
  case locked(String)
  /// The keyring is absent or does not answer.
  case keyringUnavailable(String)
  /// The request is invalid. The text gives the reason.
  case invalidArgument(String)
  /// A conversation, an answer or a program's total exceeds its limit. The text names the limit.
  case limitExceeded(String)

  package static let noText = ChappieClientError.invalidArgument(en("There is no text to answer: give some."))
  package static let noTurn = ChappieClientError.invalidArgument(en("There is no turn to remove."))
}

extension ChappieClientError: CustomStringConvertible {
  /// The error and its remedy, in one sentence.
  public var description: String {
    switch self {
    case .missingCredential: en("Nobody is signed in here: sign in first.")
    case .missingRefreshToken: en("The stored sign-in cannot be renewed: sign in again.")
    case .missingAccountID: en("The stored sign-in names no ChatGPT account: sign in again.")
    case .planUseNotGranted:
      en("This sign-in does not allow the use of your ChatGPT plan: sign in again and allow it on the page.")
    case .planUseNotEligible(""): en("ChatGPT does not let this account use its plan here.")
    case .planUseNotEligible(let reason):
      en("ChatGPT does not let this account use its plan here: \(reason)")
    case .unsupportedCapability(let parameter):
      en(
        "The backend of this sign-in does not offer '\(parameter)': leave it out, or use another kind of sign-in.")
    case .usageLimitReached(let limit): limit.description
    case .missingToolHandler(let tool):
      en("The model called the tool '\(tool)', which nothing handles here: register a handler for it.")
    case .toolApprovalDenied(let tool, ""): en("The tool '\(tool)' was not allowed to run.")
    case .toolApprovalDenied(let tool, let reason):
      en("The tool '\(tool)' was not allowed to run: \(reason)")
    case .toolLoopLimitExceeded(let limit):
      en("The model called tools in more than \(limit) rounds: ask for less at a time.")
    case .streamingTransportReplayDiverged:
      en("The connection dropped, and the backend then told another answer than before: ask again.")
    // The answer itself reports the failure, so its status says nothing.
    case .httpError(200, let sentence) where !sentence.isEmpty: sentence
    case .httpError(let status, ""): en("The backend answered with status \(status).")
    case .httpError(let status, let body): en("The backend answered with status \(status): \(body)")
    case .signInServer(let error): error.description
    case .network(let message): en("The backend could not be used: \(message.withoutFullStop).")
    case .reauthenticationRequired(let message), .locked(let message), .keyringUnavailable(let message),
      .invalidArgument(let message), .limitExceeded(let message):
      message
    }
  }
}

extension ChappieClientError: LogValue {
  package var errorName: ErrorName { words.name }

  /// The error without text from a server, a caller or the model.
  package var logText: String { words.log }

  private var words: (name: ErrorName, log: String) {
    switch self {
    case .missingCredential: (.missingCredential, "nobody is signed in")
    case .missingRefreshToken: (.missingRefreshToken, "there is no refresh token")
    case .missingAccountID: (.missingAccountID, "the sign-in names no account")
    case .reauthenticationRequired: (.reauthenticationRequired, "the sign-in has ended")
    case .planUseNotGranted: (.planUseNotGranted, "the use of the plan is not allowed")
    case .planUseNotEligible: (.planUseNotEligible, "the server does not let this user use the plan")
    case .unsupportedCapability:
      (.unsupportedCapability, "the backend of this sign-in does not offer a part of the request")
    case .usageLimitReached: (.usageLimitReached, "the usage limit is reached")
    case .missingToolHandler: (.missingToolHandler, "nothing handles a tool that the model called")
    case .toolApprovalDenied: (.toolApprovalDenied, "a tool was not allowed to run")
    case .toolLoopLimitExceeded(let limit):
      (.toolLoopLimitExceeded, "the model called tools in more than \(limit) rounds")
    case .streamingTransportReplayDiverged:
      (.streamingTransportReplayDiverged, "the answer was another one after a reconnect")
    case .httpError(let status, _):
      (status == 429 ? .rateLimited : .httpError, "the backend answered with status \(status)")
    case .signInServer(.applicationRemoved): (.httpError, ChappieAuthError.applicationRemoved.logText)
    case .signInServer(let error):
      (error.status.map { $0 == 429 ? .rateLimited : .httpError } ?? .network, error.logText)
    case .network(let reason): (.network, "the backend could not be used: \(reason.withoutFullStop)")
    case .locked(let reason): (.locked, reason.withoutFullStop)
    case .keyringUnavailable(let reason): (.keyringUnavailable, reason.withoutFullStop)
    case .invalidArgument: (.invalidArgument, "the request is wrong")
    case .limitExceeded: (.limitExceeded, "something is larger than it may be")
    }
  }
}

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

import GLibBridge

/// A failure of a request.
public enum ChappieClientError: Error, Sendable, Hashable {
  /// Nobody is signed in to this slot.
  case missingCredential
  /// The credential cannot be renewed: it has no refresh token.
  case missingRefreshToken
  /// The credential names no account, and the backend demands one.
  case missingAccountID
  /// The sign-in has ended; the text says why. Show your sign-in.
  case reauthenticationRequired(String)
  /// The plan's quota is used up. Do not retry before its reset.
  case usageLimitReached(ChappieUsageLimit)
  /// The model called a tool that nothing handles here; the text is its name.
  case missingToolHandler(String)
  /// A tool's approval was denied in a way that ends the turn; its name, and why.
  case toolApprovalDenied(String, String)
  /// The model went on calling tools; the number is how many rounds it may take.
  case toolLoopLimitExceeded(Int)
  /// After a reconnect the backend told another answer; the text is what came before. Ask again.
  case streamingTransportReplayDiverged(String)
  /// The backend answered with an unexpected status; the body is cut short and holds nothing that could be a token.
  case httpError(Int, String)
  /// The credential had to be renewed first, and the sign-in server did not do that: it was not reached, or in trouble.
  /// The sign-in is kept.
  case signInServer(ChappieAuthError)
  /// The backend was not reached, or its answer broke off.
  case network(String)
  /// The keyring or the screen is locked, and the slot's accessibility does not allow reading it now.
  case locked(String)
  /// There is no keyring, or it does not answer.
  case keyringUnavailable(String)
  /// The request itself is wrong; the text says what.
  case invalidArgument(String)
  /// A conversation, an answer or what a program holds is larger than it may be; the text says which.
  case limitExceeded(String)

  package static let noText = ChappieClientError.invalidArgument("There is no text to answer: give some.")
}

extension ChappieClientError: CustomStringConvertible {
  /// What happened and what to do, in one sentence.
  public var description: String {
    switch self {
    case .missingCredential: "Nobody is signed in here: sign in first."
    case .missingRefreshToken: "The stored sign-in cannot be renewed: sign in again."
    case .missingAccountID: "The stored sign-in names no ChatGPT account: sign in again."
    case .reauthenticationRequired(let reason): reason
    case .usageLimitReached(let limit): limit.description
    case .missingToolHandler(let tool):
      "The model called the tool '\(tool)', which nothing handles here: register a handler for it."
    case .toolApprovalDenied(let tool, let reason):
      "The tool '\(tool)' was not allowed to run" + (reason.isEmpty ? "." : ": \(reason)")
    case .toolLoopLimitExceeded(let limit):
      "The model called tools in more than \(limit) rounds: ask for less at a time."
    case .streamingTransportReplayDiverged:
      "The connection dropped, and the backend then told another answer than before: ask again."
    case .httpError(let status, let body):
      "The backend answered with status \(status)" + (body.isEmpty ? "." : ": \(body)")
    case .signInServer(let error): error.description
    case .network(let message): "The backend could not be used: \(message.withoutFullStop)."
    case .locked(let message), .keyringUnavailable(let message), .invalidArgument(let message),
      .limitExceeded(let message):
      message
    }
  }
}

extension ChappieClientError: LogValue {
  /// Without the words of a server, a caller or the model.
  package var logText: String {
    switch self {
    case .missingCredential: "nobody is signed in"
    case .missingRefreshToken: "there is no refresh token"
    case .missingAccountID: "the sign-in names no account"
    case .reauthenticationRequired: "the sign-in has ended"
    case .usageLimitReached: "the usage limit is reached"
    case .missingToolHandler: "nothing handles a tool that the model called"
    case .toolApprovalDenied: "a tool was not allowed to run"
    case .toolLoopLimitExceeded(let limit): "the model called tools in more than \(limit) rounds"
    case .streamingTransportReplayDiverged: "the answer was another one after a reconnect"
    case .httpError(let status, _): "the backend answered with status \(status)"
    case .signInServer(let error): error.logText
    case .network(let reason): "the backend could not be used: \(reason.withoutFullStop)"
    case .locked(let reason), .keyringUnavailable(let reason): reason.withoutFullStop
    case .invalidArgument: "the request is wrong"
    case .limitExceeded: "something is larger than it may be"
    }
  }
}

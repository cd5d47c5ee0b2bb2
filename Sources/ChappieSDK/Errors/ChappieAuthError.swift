import GLibBridge

/// A failure of signing in or of keeping the sign-in.
public enum ChappieAuthError: Error, Sendable, Hashable {
  /// The credential has no refresh token.
  case missingRefreshToken
  /// The token endpoint refused. To renew a sign-in it is refused only by an answer with an OAuth error that says so.
  case tokenExchangeFailed(status: Int, message: String)
  /// A sign-in was to be renewed, and what answered neither did that nor refused it: a page of a proxy, a server in
  /// trouble. The sign-in stays.
  case renewalFailed(status: Int, message: String)
  /// The server gave no device code.
  case deviceCodeRequestFailed(status: Int, message: String)
  /// The user declined on the sign-in page.
  case declined
  /// The code was not used in time.
  case expired
  /// The sign-in was cancelled here.
  case cancelled
  /// The server answered something that is no answer.
  case invalidResponse(String)
  /// The server was not reached.
  case network(String)
  /// The sign-in was removed here, and the server could not be told to revoke it; the text says why.
  case revocationFailed(String)
  /// The keyring or the screen is locked.
  case locked(String)
  /// There is no keyring, or it does not answer.
  case keyringUnavailable(String)

  /// Whether only a new sign-in helps.
  public var requiresReauthentication: Bool {
    switch self {
    case .missingRefreshToken: true
    case .tokenExchangeFailed(let status, _): [400, 401, 403].contains(status)
    default: false
    }
  }
}

extension ChappieAuthError: CustomStringConvertible {
  /// What happened and what to do, in one sentence.
  public var description: String {
    switch self {
    case .missingRefreshToken: "The stored sign-in cannot be renewed: sign in again."
    case .tokenExchangeFailed(let status, let message):
      "The sign-in server refused with status \(status)\(Self.detail(message))."
    case .renewalFailed(let status, let message):
      "The sign-in could not be renewed and is kept: the answer of the sign-in server had status \(status)"
        + "\(Self.detail(message))."
    case .deviceCodeRequestFailed(404, _):
      "Sign-in with a device code is not enabled on this server: turn it on in ChatGPT under Settings, Security."
    case .deviceCodeRequestFailed(let status, let message):
      "The sign-in server gave no code, with status \(status)\(Self.detail(message))."
    case .declined: "The sign-in was declined: start it again when you want it."
    case .expired: "The code was not used within its time: start the sign-in again."
    case .cancelled: "The sign-in was cancelled."
    case .invalidResponse(let message): "The sign-in server gave an answer that cannot be used\(Self.detail(message))."
    case .network(let message): "The sign-in server was not reached: \(message.withoutFullStop)."
    case .revocationFailed(let message):
      "The sign-in was removed here, but the server could not be told to revoke it (\(message.withoutFullStop)): it may "
        + "stay valid there, so end it in ChatGPT under Settings, Security."
    case .locked(let message), .keyringUnavailable(let message): message
    }
  }

  private static func detail(_ message: String) -> String {
    message.isEmpty ? "" : ": \(message.withoutFullStop)"
  }
}

extension ChappieAuthError: LogValue {
  /// Without the words of a server.
  package var logText: String {
    switch self {
    case .missingRefreshToken: "there is no refresh token"
    case .tokenExchangeFailed(let status, _): "the sign-in server refused with status \(status)"
    case .renewalFailed(let status, _): "the sign-in server answered with status \(status), which refuses nothing"
    case .deviceCodeRequestFailed(let status, _): "the sign-in server gave no code, with status \(status)"
    case .declined: "declined on the sign-in page"
    case .expired: "the code was not used in time"
    case .cancelled: "cancelled here"
    case .invalidResponse: "the sign-in server gave an answer that cannot be used"
    case .network(let reason): "the sign-in server was not reached: \(reason)"
    case .revocationFailed(let reason): "the sign-in server did not revoke it: \(reason)"
    case .locked(let reason), .keyringUnavailable(let reason): reason.withoutFullStop
    }
  }
}

extension String {
  /// As it is put into a sentence: servers and libraries end theirs, and ours goes on.
  var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

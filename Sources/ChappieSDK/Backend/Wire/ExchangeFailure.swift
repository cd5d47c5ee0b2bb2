// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The reason why a request got no complete answer. The cases differ in the remedy, which ``Retries`` chooses.
///
/// The error of each case is for the caller, if the remedy fails. A delay is in seconds, and nil if the backend names
/// none.
enum ExchangeFailure: Error {
  /// The backend refused the access token.
  case rejected(ChappieClientError)
  /// The backend got too many requests.
  case rateLimited(ChappieClientError, retryAfter: Double?)
  /// The backend could not be reached, or refused the request with a status from 500 to 599.
  case unavailable(ChappieClientError, retryAfter: Double?)
  /// The backend cannot tell now whether the user's plan may be used.
  case planUnavailable(ChappieClientError, retryAfter: Double?)
  /// The answer broke off, or the backend ended it with an error that another try may not meet.
  case broken(ChappieClientError)
  /// No WebSocket could be opened. If `isLasting`, the backend refuses WebSockets altogether; otherwise it could not be
  /// reached, or refuses one for now.
  case noWebSocket(ChappieClientError, isLasting: Bool)
  /// The socket can carry no more answers: it is too old, the backend has forgotten the last exchange, or a part of an
  /// earlier answer came over it. Another socket can.
  case staleSocket(ChappieClientError)
  /// The backend refused the compressed body, and may accept a plain one.
  case encodingRefused(ChappieClientError)
  /// The backend refused the model, or the form of the request for it.
  case modelRefused(ChappieClientError)
  /// The server's certificate is not trusted, so it may not be the backend. There is no remedy.
  case untrusted(ChappieClientError)
  /// There is no remedy.
  case final(ChappieClientError)

  /// The error that the caller gets if the remedy fails or does not exist.
  var error: ChappieClientError {
    switch self {
    case .rejected(let error), .rateLimited(let error, _), .unavailable(let error, _),
      .planUnavailable(let error, _), .broken(let error),
      .noWebSocket(let error, _), .staleSocket(let error), .encodingRefused(let error),
      .modelRefused(let error), .untrusted(let error), .final(let error):
      error
    }
  }

  /// ``untrusted(_:)`` for a certificate that is not trusted; nil for other failures of a connection.
  init?(connecting error: GLibError) {
    guard error.isUntrustedCertificate else { return nil }
    self = .untrusted(.network(error.message))
  }

  /// A failure that an event of the stream reports, without a status.
  init(event error: WireError) {
    let code = error.code ?? "no reason given"
    if let status = error.usualStatus {
      self.init(status: status, retryAfter: error.delay, error, text: code)
      return
    }
    let reason = Redaction.message(error.message ?? code)
    let failure = ChappieClientError.httpError(200, "The backend could not answer: \(reason)")
    self = error.code.map(Self.finalCodes.contains) == true ? .final(failure) : .broken(failure)
  }

  private static let finalCodes: Set<String> = [
    "context_length_exceeded", "usage_not_included", "cyber_policy", "misalignment_policy_violation",
    "invalid_prompt", "bio_policy", "server_is_overloaded",
  ]
}

extension ExchangeFailure {
  /// The backend's word about the use of the plan. Nil when it has said nothing about it.
  var planUse: ChappiePlanUse? {
    if case .planUnavailable = self { return .unavailable }
    return switch error {
    case .planUseNotGranted: .notGranted
    case .planUseNotEligible: .notEligible
    case .usageLimitReached: .limitReached
    default: nil
    }
  }

  /// The reason for a failed request, for the log: without the text of a server.
  static func reason(of error: any Error) -> String {
    switch error {
    case let failure as ExchangeFailure: failure.error.logText
    case let error as any LogValue: error.logText
    case is CancellationError: "the request was cancelled"
    default: "an unexpected error of type \(type(of: error))"
    }
  }
}

import GLibBridge

/// Why a request brought no answer, by what can be done about it.
enum ExchangeFailure: Error {
  /// The access token was refused.
  case rejected(ChappieClientError)
  /// Too many requests.
  case rateLimited(ChappieClientError, retryAfter: Double?)
  /// The backend was not reached, or is in trouble; nothing of an answer came.
  case unavailable(ChappieClientError, retryAfter: Double?)
  /// The answer broke off.
  case broken(ChappieClientError)
  /// There is no WebSocket to be had: never where this is lasting, not now where it is not.
  case noWebSocket(ChappieClientError, isLasting: Bool)
  /// The socket has served its time, or the backend has forgotten what came over it.
  case staleSocket(ChappieClientError)
  /// Another form of the body may be taken.
  case encodingRefused(ChappieClientError)
  /// The backend does not take the model that was named, or not in this form.
  case modelRefused(ChappieClientError)
  /// Who answered is not known to be the backend: its certificate is not trusted. Nothing helps.
  case untrusted(ChappieClientError)
  /// Nothing helps.
  case final(ChappieClientError)

  /// What a caller is told when nothing is done about it.
  var error: ChappieClientError {
    switch self {
    case .rejected(let error), .rateLimited(let error, _), .unavailable(let error, _), .broken(let error),
      .noWebSocket(let error, _), .staleSocket(let error), .encodingRefused(let error),
      .modelRefused(let error), .untrusted(let error), .final(let error):
      error
    }
  }

  init(_ failure: BackendFailure) {
    switch (failure.status, failure.code) {
    case (_, "websocket_connection_limit_reached"), (_, "previous_response_not_found"):
      self = .staleSocket(failure.error)
    case _ where failure.isFinal: self = .final(failure.error)
    case _ where failure.refusesModel: self = .modelRefused(failure.error)
    case (401, _): self = .rejected(failure.error)
    case (415, _): self = .encodingRefused(failure.error)
    case (429, _): self = .rateLimited(failure.error, retryAfter: failure.retryAfter)
    case (500..<600, _): self = .unavailable(failure.error, retryAfter: failure.retryAfter)
    default: self = .final(failure.error)
    }
  }

  /// Nothing helps where the server's certificate is not trusted; nil for other failures of a connection.
  init?(connecting error: GLibError) {
    guard error.isUntrustedCertificate else { return nil }
    self = .untrusted(.network(error.message))
  }

  /// A failure that the stream itself tells of.
  init(event error: WireError) {
    switch error.code {
    case "usage_limit_reached", "insufficient_quota":
      self = .final(
        .usageLimitReached(ChappieUsageLimit(plan: error.plan.map(ChappiePlan.init), resetsAt: error.resetsAt)))
    case "rate_limit_exceeded", "slow_down":
      self = .rateLimited(
        .httpError(429, Redaction.message(error.message ?? "The backend asks to slow down.")), retryAfter: error.delay)
    default:
      let reason = Redaction.message(error.message ?? error.code ?? "no reason given")
      let failure = ChappieClientError.httpError(200, "The backend could not answer: \(reason)")
      self = error.code.map(Self.finalCodes.contains) == true ? .final(failure) : .broken(failure)
    }
  }

  private static let finalCodes: Set<String> = [
    "context_length_exceeded", "usage_not_included", "cyber_policy", "misalignment_policy_violation",
    "invalid_prompt", "bio_policy", "server_is_overloaded",
  ]
}

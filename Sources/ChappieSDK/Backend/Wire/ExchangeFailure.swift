// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The reason why a request got no complete answer. The cases differ in the remedy, which ``Retries`` chooses.
///
/// The error of each case is for the caller, if the remedy fails. A delay is in seconds, and nil if the backend names
/// none.
enum ExchangeFailure: Error {
  /// The backend refused the access token.
  case rejected(ChappieClientError)
  /// The backend got too many requests, or the plan's quota is used up.
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
  /// The backend refused a tool, such as its own search. The reason has the backend's words.
  case toolsRefused(ChappieClientError, reason: String)
  /// The backend refused an item of the conversation.
  case inputRefused(ChappieClientError)
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
      .modelRefused(let error), .toolsRefused(let error, _), .inputRefused(let error), .untrusted(let error),
      .final(let error):
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

  // MARK: Answers with a status, and events that mean one

  private static let bodyLimit = 64 << 10

  /// - Parameter url: the address of the request.
  @GLibActor
  init(_ response: HTTPResponse, from url: String) async {
    let body = (try? await response.bytes(limit: Self.bodyLimit, deadline: .seconds(10))) ?? []
    self.init(
      status: response.status, retryAfter: response.headers["retry-after"], body: body,
      host: ParsedURL(url)?.host ?? "the server", usage: ChappieUsageLimitSnapshot(headers: response.headers))
  }

  init(
    status: Int, retryAfter: String?, body: [UInt8], host: String,
    usage: ChappieUsageLimitSnapshot = ChappieUsageLimitSnapshot()
  ) {
    let text = String(decoding: body.prefix(1000), as: UTF8.self)
    let page =
      "\(host) sent a web page and no answer. Something in between, such as a proxy, may have sent it, or the server "
      + "does not serve this network."
    self.init(
      status: status, retryAfter: retryAfter, answer: (try? ChappieJSONValue(parsing: body.span)) ?? .null,
      text: Self.isMarkup(text) ? page : text, usage: usage)
  }

  /// - Parameter text: the message to use when `answer` has none.
  init(
    status: Int, retryAfter: String?, answer: ChappieJSONValue, text: String = "",
    usage: ChappieUsageLimitSnapshot = ChappieUsageLimitSnapshot()
  ) {
    self.init(
      status: status, retryAfter: retryAfter.flatMap(Self.seconds), WireError(within: answer),
      text: answer["detail"]?.stringValue ?? text, usage: usage)
  }

  /// - Parameters:
  ///   - retryAfter: in seconds.
  ///   - text: the message to use when `detail` has none.
  init(
    status: Int, retryAfter: Double?, _ detail: WireError, text: String = "",
    usage: ChappieUsageLimitSnapshot = ChappieUsageLimitSnapshot()
  ) {
    let full = detail.message ?? text
    // Without anything that could be a token.
    let message = Redaction.message(full)
    let error = ChappieClientError.httpError(status, message)
    // Some servers still give the codes of an earlier version.
    switch (status, detail.code?.replacing("subscription_sharing_v2_", with: "subscription_sharing_")) {
    case (_, "chatpass_v2_scope_not_authorized"), (_, "chatpass_v2_invalid_authorization_context"):
      self = .final(.planUseNotGranted)
    case (_, "subscription_sharing_user_not_eligible"), (_, "subscription_sharing_client_not_enabled"):
      self = .final(.planUseNotEligible(message))
    case (_, "subscription_sharing_usage_limit_exceeded"):
      self = .final(.usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)))
    case (_, "subscription_sharing_usage_unavailable"), (_, "subscription_sharing_user_unavailable"):
      self = .planUnavailable(error, retryAfter: retryAfter)
    case (_, "subscription_sharing_unsupported_capability") where detail.parameter == "input":
      self = .inputRefused(.unsupportedCapability("input"))
    case (_, "subscription_sharing_unsupported_capability") where detail.parameter == "tools",
      (400, "unsupported_value") where detail.parameter == "tools":
      self = .toolsRefused(.unsupportedCapability("tools"), reason: message)
    case (_, "subscription_sharing_unsupported_capability"):
      self = .final(.unsupportedCapability(detail.parameter ?? message))
    // Another token would not help, and the sign-in may be in order.
    case (401, "subscription_sharing_invalid_user"): self = .final(error)
    case (_, "websocket_connection_limit_reached"), (_, "previous_response_not_found"): self = .staleSocket(error)
    case _ where detail.isUsageLimit || detail.type == "usage_not_included":
      let limit = ChappieUsageLimit(
        plan: detail.plan.map(ChappiePlan.init), resetsAt: detail.resetsAt.map { ChappieTime(unixSeconds: $0) },
        primary: usage.primary, secondary: usage.secondary)
      self =
        if status != 429 || !detail.isUsageLimit {
          .final(error)
        } else if detail.isQuotaMissing {
          .final(.usageLimitReached(limit))
        } else {
          .rateLimited(.usageLimitReached(limit), retryAfter: retryAfter)
        }
    case (400, let code)
    where (detail.parameter == "input" || full.contains("input_file")) && !Self.finalCodes.contains(code ?? "")
      && !Self.refusesModel(code, full):
      self = .inputRefused(error)
    case (400, let code), (404, let code): self = Self.refusesModel(code, full) ? .modelRefused(error) : .final(error)
    case (401, _): self = .rejected(error)
    case (415, _): self = .encodingRefused(error)
    case (429, _): self = .rateLimited(error, retryAfter: retryAfter)
    case (500..<600, _): self = .unavailable(error, retryAfter: retryAfter)
    default: self = .final(error)
    }
  }

  /// Whether `text` begins like a web page or another document for programs.
  private static func isMarkup(_ text: String) -> Bool {
    text.first { !$0.isWhitespace && $0 != "\u{FEFF}" } == "<" || text.contains("</")
  }

  private static func refusesModel(_ code: String?, _ message: String) -> Bool {
    code == "model_not_found" || code == "model_not_supported" || modelRefusals.contains { message.contains($0) }
  }

  /// Beginnings of the backend's messages about a model that it has retired or never had, that needs a newer client, or
  /// that needs another form of request.
  private static let modelRefusals = [
    "model is not supported when using", "model requires a newer version", "Model not found", "model does not exist",
  ]

  /// Reads `Retry-After`, which is in seconds or an HTTP date.
  static func seconds(_ header: String) -> Double? {
    if let seconds = Double(header), seconds.isFinite { return max(0, seconds) }
    return HTTPDate.unixSeconds(header).flatMap { Timestamp($0) }.map { Double(max(0, $0.seconds(since: .now))) }
  }
}

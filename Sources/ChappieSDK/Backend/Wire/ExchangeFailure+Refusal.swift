// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Refusals by the backend: answers with a status, and events that mean one.
extension ExchangeFailure {
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
    self.init(
      status: status, retryAfter: retryAfter, answer: (try? ChappieJSONValue(parsing: body.span)) ?? .null,
      text: Self.isMarkup(text) ? Self.pageText(of: host) : text, usage: usage)
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
    case (_, "subscription_sharing_unsupported_capability"):
      self = .final(.unsupportedCapability(detail.parameter ?? message))
    // Another token would not help, and the sign-in may be in order.
    case (401, "subscription_sharing_invalid_user"): self = .final(error)
    case (_, "websocket_connection_limit_reached"), (_, "previous_response_not_found"): self = .staleSocket(error)
    case _ where detail.isUsageLimit || detail.type == "usage_not_included":
      let limit = ChappieUsageLimit(
        plan: detail.plan.map(ChappiePlan.init), resetsAt: detail.resetsAt, primary: usage.primary,
        secondary: usage.secondary)
      self = .final(status == 429 && detail.isUsageLimit ? .usageLimitReached(limit) : error)
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

  private static func pageText(of host: String) -> String {
    "\(host) sent a web page and no answer. Something in between, such as a proxy, may have sent it, or the server "
      + "does not serve this network."
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

import GLibBridge
import Platform

/// A refusal by the backend.
struct BackendFailure {
  private static let bodyLimit = 64 << 10

  let error: ChappieClientError
  let status: Int
  /// The backend's code for the error.
  let code: String?
  /// The part of the request that the error is about.
  let parameter: String?
  /// The backend's message, without anything that could be a token.
  let message: String
  /// The delay that the backend asks for, in seconds.
  let retryAfter: Double?
  /// Whether a retry is pointless, however late.
  let isFinal: Bool
  /// Whether the backend refuses the model that the request named.
  let refusesModel: Bool

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

  /// - Parameter text: the message to use when `detail` has none.
  init(
    status: Int, retryAfter: Double?, _ detail: WireError, text: String = "",
    usage: ChappieUsageLimitSnapshot = ChappieUsageLimitSnapshot()
  ) {
    self.status = status
    self.retryAfter = retryAfter
    code = detail.code
    parameter = detail.parameter
    let full = detail.message ?? text
    message = Redaction.message(full)
    refusesModel = Self.refusesModel(status, code, full)
    isFinal = detail.isUsageLimit || detail.type == "usage_not_included"
    if status == 429, detail.isUsageLimit {
      error = .usageLimitReached(
        ChappieUsageLimit(
          plan: detail.plan.map(ChappiePlan.init), resetsAt: detail.resetsAt, primary: usage.primary,
          secondary: usage.secondary))
    } else {
      error = .httpError(status, message)
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

  private static func refusesModel(_ status: Int, _ code: String?, _ message: String) -> Bool {
    guard status == 400 || status == 404 else { return false }
    if code == "model_not_found" || code == "model_not_supported" { return true }
    return modelRefusals.contains { message.contains($0) }
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

/// A word of OpenAI's public API about the use of the user's plan, by its code.
enum PlanRefusal {
  /// The grant does not allow it.
  case notGranted
  /// The user, the workspace or a policy does not allow it.
  case notEligible
  /// The plan, or the user's limit for this application, is used up.
  case limitReached
  /// The server cannot tell now.
  case unavailable
  /// A part of the request is not offered on this way.
  case unsupported

  init?(_ code: String?) {
    // Some servers still give the codes of an earlier version.
    switch code?.replacing("subscription_sharing_v2_", with: "subscription_sharing_") {
    case "chatpass_v2_scope_not_authorized", "chatpass_v2_invalid_authorization_context": self = .notGranted
    case "subscription_sharing_user_not_eligible", "subscription_sharing_client_not_enabled": self = .notEligible
    case "subscription_sharing_usage_limit_exceeded": self = .limitReached
    case "subscription_sharing_usage_unavailable", "subscription_sharing_user_unavailable": self = .unavailable
    case "subscription_sharing_unsupported_capability": self = .unsupported
    default: return nil
    }
  }

  /// The failure of a request.
  ///
  /// - Parameters:
  ///   - message: the server's, without anything that could be a token.
  ///   - parameter: the part of the request that the server names.
  ///   - retryAfter: in seconds.
  func failure(status: Int, message: String, parameter: String?, retryAfter: Double?) -> ExchangeFailure {
    switch self {
    case .notGranted: .final(.planUseNotGranted)
    case .notEligible: .final(.planUseNotEligible(message))
    case .limitReached: .final(.usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)))
    case .unavailable: .planUnavailable(.httpError(status, message), retryAfter: retryAfter)
    case .unsupported: .final(.unsupportedCapability(parameter ?? message))
    }
  }
}

import GLibBridge

/// An answer of the backend that is a refusal.
struct BackendFailure {
  private static let bodyLimit = 64 << 10

  let error: ChappieClientError
  let status: Int
  /// The backend's word for what is wrong.
  let code: String?
  /// The seconds that the backend asks to wait.
  let retryAfter: Double?
  /// Whether asking again is pointless, however long one waits.
  let isFinal: Bool

  @GLibActor
  init(_ response: HTTPResponse) async {
    let body = (try? await response.bytes(limit: Self.bodyLimit, deadline: .seconds(10))) ?? []
    self.init(
      status: response.status, retryAfter: response.headers["retry-after"], body: body,
      usage: ChappieUsageLimitSnapshot(headers: response.headers))
  }

  init(
    status: Int, retryAfter: String?, body: [UInt8], usage: ChappieUsageLimitSnapshot = ChappieUsageLimitSnapshot()
  ) {
    self.init(
      status: status, retryAfter: retryAfter, answer: try? JSON(parsing: body),
      text: String(decoding: body.prefix(1000), as: UTF8.self), usage: usage)
  }

  /// - Parameter text: what to say when `answer` says nothing.
  init(
    status: Int, retryAfter: String?, answer: JSON?, text: String = "",
    usage: ChappieUsageLimitSnapshot = ChappieUsageLimitSnapshot()
  ) {
    let detail = answer?["error"].map(WireError.init)
    self.status = status
    self.retryAfter = retryAfter.flatMap(Self.seconds)
    code = detail?.code
    isFinal = detail?.type == "usage_limit_reached" || detail?.type == "usage_not_included"
    if status == 429, detail?.type == "usage_limit_reached" {
      error = .usageLimitReached(
        ChappieUsageLimit(
          plan: detail?.plan.map(ChappiePlan.init), resetsAt: detail?.resetsAt, primary: usage.primary,
          secondary: usage.secondary))
    } else {
      error = .httpError(status, Redaction.message(detail?.message ?? answer?["detail"]?.string ?? text))
    }
  }

  /// `Retry-After` in seconds or as an HTTP date.
  static func seconds(_ header: String) -> Double? {
    if let seconds = Double(header), seconds.isFinite { return max(0, seconds) }
    return HTTPDate.unixSeconds(header).map { max(0, Double($0 - UnixTime.now)) }
  }
}

import GLibBridge

/// An answer of the backend that is a refusal.
struct BackendFailure {
  private static let bodyLimit = 64 << 10

  let error: ChappieClientError
  /// The seconds that the backend asks to wait.
  let retryAfter: Double?

  /// Whether asking again is pointless, however long one waits.
  let isFinal: Bool

  @GLibActor
  init(_ response: HTTPResponse) async {
    let body = (try? await response.bytes(limit: Self.bodyLimit, deadline: .seconds(10))) ?? []
    self.init(status: response.status, retryAfter: response.headers["retry-after"], body: body)
  }

  init(status: Int, retryAfter: String?, body: [UInt8]) {
    self.retryAfter = retryAfter.flatMap(Self.seconds)
    let answer = try? JSON(parsing: body)
    let detail = answer?["error"].map(WireError.init)
    isFinal = detail?.type == "usage_limit_reached" || detail?.type == "usage_not_included"
    if status == 429, detail?.type == "usage_limit_reached" {
      error = .usageLimitReached(
        ChappieUsageLimit(plan: detail?.plan.map(ChappiePlan.init), resetsAt: detail?.resetsAt))
    } else {
      let text =
        detail?.message ?? answer?["detail"]?.string ?? String(decoding: body.prefix(1000), as: UTF8.self)
      error = .httpError(status, Redaction.message(text))
    }
  }

  /// `Retry-After` in seconds or as an HTTP date.
  static func seconds(_ header: String) -> Double? {
    if let seconds = Double(header), seconds.isFinite { return max(0, seconds) }
    return HTTPDate.unixSeconds(header).map { max(0, Double($0 - UnixTime.now)) }
  }
}

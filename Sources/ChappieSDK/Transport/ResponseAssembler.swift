/// Puts an answer together from its events.
struct ResponseAssembler {
  enum Outcome {
    /// The stream has not said how it ends.
    case open
    case completed(id: String, usage: ChappieTokenUsage)
    case failed(ChappieClientError)
  }

  private(set) var text = ""
  private(set) var outcome = Outcome.open
  /// Where the text of the message that is being written starts.
  private var messageStart = 0

  /// Takes an event and returns the text that it adds, empty for none.
  mutating func take(_ event: ResponseEvent) -> String {
    switch event {
    case .textDelta(let delta):
      text += delta
      return delta
    case .messageDone(let whole):
      return finishMessage(whole)
    case .completed(let id, let usage):
      outcome = .completed(id: id, usage: usage)
    case .failed(let code, let message, let plan, let resetsAt):
      outcome = .failed(Self.failure(code, message, plan, resetsAt))
    case .incomplete(let reason):
      outcome = .failed(
        .httpError(200, "The answer is incomplete (\(Redaction.message(reason ?? "no reason given")))."))
    case .other:
      break
    }
    return ""
  }

  /// A message's whole text decides. What deltas did not bring of it is brought now.
  private mutating func finishMessage(_ whole: String) -> String {
    let bytes = text.utf8
    let written = bytes.suffix(from: bytes.index(bytes.startIndex, offsetBy: messageStart))
    defer { messageStart = text.utf8.count }
    guard whole.utf8.count > written.count, whole.utf8.starts(with: written) else { return "" }
    let rest = String(decoding: whole.utf8.dropFirst(written.count), as: UTF8.self)
    text += rest
    return rest
  }

  private static func failure(_ code: String?, _ message: String?, _ plan: String?, _ resetsAt: Int64?)
    -> ChappieClientError
  {
    switch code {
    case "usage_limit_reached", "insufficient_quota":
      return .usageLimitReached(ChappieUsageLimit(plan: plan.map(ChappiePlan.init), resetsAt: resetsAt))
    case "rate_limit_exceeded", "slow_down":
      return .httpError(429, Redaction.message(message ?? "The backend asks to slow down."))
    default:
      let reason = message ?? code ?? "no reason given"
      return .httpError(200, "The backend could not answer: \(Redaction.message(reason))")
    }
  }
}

import GLibBridge

/// What the requests of one turn share.
@GLibActor
final class TurnScope {
  let interaction: UserInteraction
  let line: BackendLine
  let size: TurnSize
  let text: AnswerText
  let trace: TurnTrace
  /// Whom the backend answers.
  var accountID: String?
  /// Which model the turn asks, once that is known.
  var model: RequestModel?
  private let slot: CredentialSlot
  /// Tells the caller what happens.
  let deliver: @GLibActor (ChappieStreamEvent) -> FlowControl
  let record: @GLibActor (TurnRecord) -> Void

  init(_ caller: TurnCaller, slot: CredentialSlot, _ line: BackendLine) {
    self.slot = slot
    self.line = line
    interaction = caller.interaction
    text = caller.text
    trace = caller.trace
    deliver = caller.deliver
    record = caller.record
    size = TurnSize(caller.hold)
  }

  /// Appends to the answer.
  func say(_ piece: String) -> FlowControl {
    trace.noteDelta()
    return deliver(.textDelta(text.append(piece)))
  }

  /// Takes what the header fields of an answer tell.
  func take(_ headers: HTTPHeaders) -> FlowControl {
    line.turnState = headers["x-codex-turn-state"] ?? line.turnState
    if let etag = headers["x-models-etag"] { slot.modelCache.hear(etag, for: accountID) }
    return report(ChappieUsageLimitSnapshot(headers: headers))
  }

  /// Takes what is used of the plan.
  func report(_ limits: ChappieUsageLimitSnapshot) -> FlowControl {
    slot.usage.report(limits, of: accountID).map { deliver(.usageLimits($0)) } ?? .proceed
  }
}

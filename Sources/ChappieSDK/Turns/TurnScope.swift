import GLibBridge

/// The state that the requests of one turn share.
@GLibActor
final class TurnScope {
  let interaction: UserInteraction
  let line: BackendLine
  let size: TurnSize
  let text: AnswerText
  let trace: TurnTrace
  /// The account that the latest request belongs to.
  var accountID: String?
  /// The model of the turn; nil until it is chosen.
  var model: RequestModel?
  private let slot: CredentialSlot
  /// Passes an event to the caller.
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

  /// Appends text to the answer and delivers it.
  func say(_ piece: String) -> FlowControl {
    trace.noteDelta()
    return deliver(.textDelta(text.append(piece)))
  }

  /// Handles the header fields of an answer.
  func take(_ headers: HTTPHeaders) -> FlowControl {
    line.turnState = headers["x-codex-turn-state"] ?? line.turnState
    if let etag = headers["x-models-etag"] { slot.modelCache.hear(etag, for: accountID) }
    return report(ChappieUsageLimitSnapshot(headers: headers))
  }

  /// Handles a report on the usage of the plan.
  func report(_ limits: ChappieUsageLimitSnapshot) -> FlowControl {
    slot.usage.report(limits, of: accountID).map { deliver(.usageLimits($0)) } ?? .proceed
  }
}

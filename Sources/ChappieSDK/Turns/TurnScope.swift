import GLibBridge

/// What the requests of one turn share.
@GLibActor
final class TurnScope {
  let interaction: SecretServiceClient.Interaction
  private let slot: CredentialSlot
  /// Whom the backend answers.
  var accountID: String?
  /// The backend's routing token; it goes back with each further request of the turn.
  var turnState: String?
  /// Which model the turn asks, once that is known.
  var model: RequestModel?
  let size: TurnSize
  /// The socket that the turn's last answer came over.
  var socket: SocketConnection?
  /// The answers of the rounds that have ended.
  private var text = ""
  private var isNewRound = false
  private let receive: @GLibActor (ChappieStreamEvent) -> HTTPResponse.Verdict
  let record: @GLibActor (ChappieClient.TurnRecord) -> Void

  init(_ caller: ChappieClient.TurnCaller, slot: CredentialSlot, socket: SocketConnection?) {
    self.slot = slot
    interaction = caller.interaction
    receive = caller.deliver
    record = caller.record
    size = TurnSize(caller.hold)
    self.socket = socket
  }

  /// What comes next is said after the model has used tools: a paragraph of its own.
  func startRound() {
    isNewRound = true
  }

  /// Notes the answer of a round that has ended, and returns the answer so far.
  func endRound(_ answer: String) -> String {
    text = wholeText(with: answer)
    size.endRound(text: text.utf8.count)
    return text
  }

  /// The answer so far, over all rounds, where the one that runs has brought `answer`.
  func wholeText(with answer: String) -> String {
    text.isEmpty || answer.isEmpty ? text + answer : text + ResponseAssembler.gap + answer
  }

  func deliver(_ event: ChappieStreamEvent) -> HTTPResponse.Verdict {
    guard isNewRound, case .textDelta(let delta) = event else { return receive(event) }
    isNewRound = false
    return receive(text.isEmpty ? event : .textDelta(ResponseAssembler.gap + delta))
  }

  /// Notes what the header fields of an answer tell.
  func note(_ headers: HTTPHeaders) {
    turnState = headers["x-codex-turn-state"] ?? turnState
    if let etag = headers["x-models-etag"] { slot.modelCache.hear(etag, for: accountID) }
    report(ChappieUsageLimitSnapshot(headers: headers))
  }

  /// Notes what is used of the plan.
  func report(_ limits: ChappieUsageLimitSnapshot) {
    guard let known = slot.usage.report(limits, of: accountID) else { return }
    _ = deliver(.usageLimits(known))
  }
}

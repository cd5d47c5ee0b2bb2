// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// An event of a turn, other than new text, as the bus and a socket carry it.
struct TurnEvent: Sendable {
  enum Kind {
    /// A caller that waits for a reply gets it too, because it may run the tool.
    case tool
    case news
    /// The turn ends with it.
    case end
  }

  let signal: String
  /// The value of `event` in a line.
  let event: String
  /// The arguments of the signal after the turn's id, which are the members of the line.
  var texts: KeyValuePairs<String, String> = [:]
  /// The last argument of the signal. Its members are members of the line.
  var details: VariantDictionary?
  /// The reason that an answer of the caller was not accepted, for lines alone.
  var refusal: BusError?
  var kind = Kind.news
}

extension TurnEvent {
  /// Nil for new text, and for the end, which the turn announces after its status is final.
  init?(_ event: ChappieStreamEvent) {
    switch event {
    case .toolCallRequested(let request):
      self.init(
        signal: "ToolCallRequested", event: "tool-call-requested",
        texts: [
          "call": request.callID, "name": request.toolName, "arguments": request.arguments,
          "policy": request.policy.rawValue,
        ], kind: .tool)
    case .approvalRequested(let request): self.init(asking: request)
    case .toolCallCompleted(let result):
      self.init(
        signal: "ToolCallCompleted", event: "tool-call-completed", texts: ["call": result.callID],
        details: result.dictionary, kind: .tool)
    case .webSearch(let step):
      self.init(
        signal: "SearchProgressed", event: "search",
        texts: ["status": step.progress.status, "detail": step.progress.detail])
    case .citation(let source): self.init(signal: "SourceCited", event: "citation", details: source.dictionary)
    case .usageLimits(let limits):
      self.init(signal: "UsageLimitsUpdated", event: "usage-limits", details: limits.dictionary)
    case .textDelta, .completed: return nil
    }
  }

  /// - Parameter refusal: the reason that an answer of the caller was not accepted; nil for the first request.
  init(asking request: ChappieApprovalRequest, refusal: BusError? = nil) {
    self.init(
      signal: "ApprovalRequested", event: "approval-requested",
      texts: ["call": request.callID, "name": request.toolName, "arguments": request.arguments], refusal: refusal,
      kind: .tool)
  }
}

/// The way of a turn's events to its caller.
@GLibActor
protocol TurnOutlet: AnyObject {
  /// Whether the turn may produce more.
  var flow: FlowControl { get }
  /// Sends the new text of the answer, at once or soon.
  func grew()
  /// Sends an event, after all text that came before it.
  func send(_ event: TurnEvent)
  /// Waits until everything has left this process, or can no longer reach the caller.
  func flush() async
}

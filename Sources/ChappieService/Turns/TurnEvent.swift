// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge

/// An event of a turn, other than new text.
enum TurnEvent: Sendable {
  case toolCallRequested(ChappieToolExecutionRequest)
  /// - Parameter refusal: the reason that an answer of the caller was not accepted; nil for the first request.
  case approvalRequested(ChappieApprovalRequest, refusal: BusError?)
  case toolCallCompleted(ChappieToolExecutionResult)
  /// A tool server tells how far a call is: the part that is done, from 0 to 1, where it is known.
  case toolProgressed(call: String, message: String, part: Double?)
  /// A tool server asks the user something during a call.
  case inputRequested(call: String, server: String, MCPQuestion)
  case webSearch(ChappieWebSearchStep)
  case citation(ChappieCitation)
  case usageLimits(ChappieUsageLimitSnapshot)
  case completed(ChappieResponse)
  /// The dictionary holds the details, with the partial text.
  case failed(BusError, VariantDictionary)

  /// An event as the bus and a socket carry it.
  struct Content {
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

  enum Kind {
    /// A caller that waits for a reply gets it too, because it may run the tool.
    case tool
    case news
    /// The turn ends with it.
    case end
  }

  var content: Content {
    switch self {
    case .toolCallRequested(let request):
      Content(
        signal: "ToolCallRequested", event: "tool-call-requested",
        texts: [
          "call": request.callID, "name": request.toolName, "arguments": request.arguments,
          "policy": request.policy.rawValue,
        ], kind: .tool)
    case .approvalRequested(let request, let refusal):
      Content(
        signal: "ApprovalRequested", event: "approval-requested",
        texts: ["call": request.callID, "name": request.toolName, "arguments": request.arguments], refusal: refusal,
        kind: .tool)
    case .toolCallCompleted(let result):
      Content(
        signal: "ToolCallCompleted", event: "tool-call-completed", texts: ["call": result.callID],
        details: result.dictionary, kind: .tool)
    case .toolProgressed(let call, let message, let part):
      Content(
        signal: "ToolProgressed", event: "tool-progressed", texts: ["call": call, "message": message],
        details: ["part": part])
    case .inputRequested(let call, let server, let question):
      Content(
        signal: "InputRequested", event: "input-requested", texts: ["call": call, "message": question.message],
        details: question.dictionary(of: server), kind: .tool)
    case .webSearch(let step):
      Content(
        signal: "SearchProgressed", event: "search",
        texts: ["status": step.progress.status, "detail": step.progress.detail])
    case .citation(let source):
      Content(signal: "SourceCited", event: "citation", details: source.dictionary)
    case .usageLimits(let limits):
      Content(signal: "UsageLimitsUpdated", event: "usage-limits", details: limits.dictionary)
    case .completed(let response):
      Content(
        signal: "Completed", event: "completed", texts: ["text": response.outputText], details: response.details,
        kind: .end)
    case .failed(let error, let details):
      Content(
        signal: "Failed", event: "failed", texts: ["error": error.name, "message": error.message], details: details,
        kind: .end)
    }
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

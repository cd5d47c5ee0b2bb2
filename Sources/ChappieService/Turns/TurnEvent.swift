// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// An event of a turn, other than new text.
enum TurnEvent: Sendable {
  case toolCallRequested(ChappieToolExecutionRequest)
  /// - Parameter refusal: the reason that an answer of the caller was not accepted; nil for the first request.
  case approvalRequested(ChappieApprovalRequest, refusal: BusError?)
  case toolCallCompleted(ChappieToolExecutionResult)
  case usageLimits(ChappieUsageLimitSnapshot)
  case completed(ChappieResponse)
  /// The dictionary holds the details, with the partial text.
  case failed(BusError, VariantDictionary)
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

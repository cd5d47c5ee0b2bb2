// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Sends a turn's events as signals on the bus.
@GLibActor
final class SignalOutlet: TurnOutlet {
  private let turn: String
  private let caller: String
  private let delivery: ServiceTurn.Delivery
  /// Weak, because the object holds the client that holds the turn.
  private weak var object: BusObject?
  private let window: SendWindow
  private let answer: AnswerText
  private lazy var coalescer = DeltaCoalescer(answer) { [unowned self] offset, text in
    emit("TextDelta", .tuple([turn.variant, UInt64(offset).variant, Variant(text)]), bytes: text.utf8.count)
  }

  init(
    turn: String, caller: String, _ delivery: ServiceTurn.Delivery, _ answer: AnswerText, object: BusObject,
    window: SendWindow
  ) {
    self.turn = turn
    self.caller = caller
    self.delivery = delivery
    self.answer = answer
    self.object = object
    self.window = window
  }

  var flow: FlowControl { window.flow }

  private var isStreamed: Bool {
    if case .reply = delivery { false } else { true }
  }

  func grew() {
    if isStreamed { coalescer.grew() }
  }

  func send(_ event: TurnEvent) {
    guard isStreamed else { return sendToolEvent(event) }
    coalescer.flush()
    switch event {
    case .usageLimits(let limits):
      let arguments = Variant.tuple(turn, limits.dictionary)
      emit("UsageLimitsUpdated", arguments, bytes: arguments.byteCount)
    case .completed(let response):
      emit("Completed", .tuple(turn, response.outputText, response.details), bytes: response.outputText.utf8.count)
    case .failed(let error, let details):
      emit("Failed", .tuple(turn, error.name, error.message, details), bytes: answer.byteCount)
    case .toolCallRequested, .approvalRequested, .toolCallCompleted:
      sendToolEvent(event)
    }
  }

  /// A caller that waits for a reply gets these signals too, because it may run the tool.
  private func sendToolEvent(_ event: TurnEvent) {
    let (signal, arguments): (String, Variant)
    switch event {
    case .toolCallRequested(let request):
      signal = "ToolCallRequested"
      arguments = .tuple(turn, request.callID, request.toolName, request.arguments, request.policy.rawValue)
    case .approvalRequested(let request, _):
      signal = "ApprovalRequested"
      arguments = .tuple(turn, request.callID, request.toolName, request.arguments)
    case .toolCallCompleted(let result):
      signal = "ToolCallCompleted"
      arguments = .tuple(turn, result.callID, result.dictionary)
    case .usageLimits, .completed, .failed: return
    }
    emit(signal, arguments, bytes: arguments.byteCount)
  }

  private func emit(_ signal: String, _ arguments: Variant, bytes: Int) {
    // A broadcast has no directed copy for the caller: a caller that listens would get the signal twice.
    object?.emit(ServiceInterfaces.client, signal, arguments, to: delivery.isBroadcast ? .everyone : .only([caller]))
    window.sent(bytes)
  }

  func flush() async {
    await window.flush()
  }
}

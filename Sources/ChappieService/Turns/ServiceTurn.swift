import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// A turn that a caller has started. It stays available for some time after its end.
@GLibActor
final class ServiceTurn {
  /// The way in which the answer reaches the caller.
  enum Delivery {
    /// As the reply of the method call.
    case reply
    /// As signals to the caller, or to everyone.
    case signals(broadcast: Bool)
  }

  enum Status: LogValue {
    case running
    case completed(ChappieResponse)
    case failed(BusError, VariantDictionary)
    case cancelled(BusError, VariantDictionary)

    var word: String {
      switch self {
      case .running: "running"
      case .completed: "completed"
      case .failed: "failed"
      case .cancelled: "cancelled"
      }
    }

    var logText: String { word }

    var details: VariantDictionary {
      switch self {
      case .running: return [:]
      case .completed(let response): return response.details
      case .failed(let error, var details), .cancelled(let error, var details):
        details.set("error", error.name)
        details.set("message", error.message)
        return details
      }
    }
  }

  let id: String
  let caller: String
  let delivery: Delivery
  /// The lease for the memory of the turn. It shrinks when the turn ends.
  let memory: MemoryBudget.Lease
  let calls = TurnCalls()
  private(set) var status = Status.running
  private let answer = AnswerText()
  private let trace = TurnTrace()
  /// Weak, because the object holds the client that holds this turn.
  private weak var object: BusObject?
  private let window: SendWindow
  private var task: Task<Void, Never>?
  private lazy var coalescer = DeltaCoalescer(answer) { [unowned self] offset, text in
    emit("TextDelta", .tuple([id.variant, UInt64(offset).variant, Variant(text)]), bytes: text.utf8.count)
  }

  init(
    id: String, caller: String, delivery: Delivery, memory: MemoryBudget.Lease, object: BusObject, window: SendWindow
  ) {
    self.id = id
    self.caller = caller
    self.delivery = delivery
    self.memory = memory
    self.object = object
    self.window = window
  }

  /// The text of the answer so far.
  var text: String {
    if case .completed(let response) = status { response.outputText } else { answer.whole }
  }

  /// The details of the status on the bus.
  var details: VariantDictionary { withPartialText(status.details) }

  /// The estimated memory of the turn after its end, in bytes.
  var footprint: Int { 1024 + text.utf8.count }

  /// The estimated size of ``text`` and ``details`` together, in bytes.
  var replyBytes: Int { 1024 + 2 * text.utf8.count }

  /// The status on the bus, such as `running` or `waiting-for-tool`.
  var statusWord: String { isRunning ? calls.status ?? status.word : status.word }

  var isBroadcast: Bool {
    if case .signals(broadcast: true) = delivery { return true }
    return false
  }

  var isRunning: Bool {
    if case .running = status { return true }
    return false
  }

  /// Runs the turn, and calls `ended` after its status is final.
  ///
  /// - Parameter hold: changes the memory that the turn holds to a number of bytes, and throws if there is no room.
  func start(
    interaction: UserInteraction, tools: ToolSet,
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void,
    _ run: @escaping @GLibActor (TurnCaller) async throws -> ChappieResponse,
    ended: @escaping @GLibActor () -> Void
  ) {
    task = Task.onGLib {
      do {
        let caller = TurnCaller(interaction: interaction, tools: tools, text: answer, trace: trace, hold: hold) {
          self.deliver($0)
        }
        let response = try await run(caller)
        finish(.completed(response))
      } catch is CancellationError {
        finish(.cancelled(BusError(CancellationError()), [:]))
      } catch let error as ChappieRuntimeError {
        finish(.failed(BusError(error, turn: id), Self.failureDetails(error)))
      } catch {
        finish(.failed(BusError(error), Self.failureDetails(error)))
      }
      ended()
    }
  }

  func cancel() {
    task?.cancel()
  }

  /// Waits for the end of the turn.
  ///
  /// - Returns: the whole answer.
  /// - Throws: `BusError` if the turn failed or was cancelled.
  func result() async throws -> String {
    await task?.value
    switch status {
    case .completed(let response): return response.outputText
    case .failed(let error, _), .cancelled(let error, _): throw error
    case .running: throw BusError(CancellationError())
    }
  }

  /// Waits until the turn has ended and has sent its last signal.
  func ended() async {
    await task?.value
  }

  // MARK: Delivery

  private func deliver(_ event: ChappieStreamEvent) -> FlowControl {
    guard isRunning else { return .stop }
    switch event {
    case .textDelta: if isStreamed { coalescer.grew() }
    case .toolCallRequested(let request):
      calls.began(request.callID)
      emitInOrder(
        "ToolCallRequested",
        .tuple(id, request.callID, request.toolName, request.arguments, request.policy.rawValue))
    case .approvalRequested(let request):
      calls.asks(request.callID)
      emitInOrder("ApprovalRequested", .tuple(id, request.callID, request.toolName, request.arguments))
    case .toolCallCompleted(let result):
      calls.ended(result.callID)
      emitInOrder("ToolCallCompleted", .tuple(id, result.callID, result.dictionary))
    case .usageLimits(let limits):
      if isStreamed { emitInOrder("UsageLimitsUpdated", .tuple(id, limits.dictionary)) }
    case .completed: break
    }
    return window.flow
  }

  private var isStreamed: Bool {
    if case .signals = delivery { return true }
    return false
  }

  /// Sends a signal after all text that came before it. A caller that waits for a reply gets the signal too, because it
  /// may run the tool.
  private func emitInOrder(_ signal: String, _ arguments: Variant) {
    if isStreamed { coalescer.flush() }
    emit(signal, arguments, bytes: arguments.byteCount)
  }

  private func finish(_ status: Status) {
    self.status = status
    trace.log(id, of: caller, status)
    guard isStreamed else { return }
    coalescer.flush()
    switch status {
    case .running: break
    case .completed(let response):
      emit("Completed", .tuple(id, response.outputText, response.details), bytes: response.outputText.utf8.count)
    case .failed(let error, let details), .cancelled(let error, let details):
      emit("Failed", .tuple(id, error.name, error.message, withPartialText(details)), bytes: text.utf8.count)
    }
  }

  private static func failureDetails(_ error: any Error) -> VariantDictionary {
    switch error {
    case let error as ChappieClientError: error.details
    case ChappieRuntimeError.notStored(let response, _): response.details
    default: [:]
    }
  }

  /// Adds the partial answer to the details of a failure. The status does not keep a copy of it.
  private func withPartialText(_ details: VariantDictionary) -> VariantDictionary {
    var details = details
    switch status {
    case .failed, .cancelled: if !text.isEmpty { details.set("partial_text", text) }
    case .running, .completed: break
    }
    return details
  }

  private func emit(_ signal: String, _ arguments: Variant, bytes: Int) {
    // A broadcast has no directed copy for the caller: a caller that listens would get the signal twice.
    object?.emit(ServiceInterfaces.client, signal, arguments, to: isBroadcast ? .everyone : .only([caller]))
    window.sent(bytes)
  }
}

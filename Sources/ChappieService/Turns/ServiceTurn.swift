import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// One turn that runs for a caller.
@GLibActor
final class ServiceTurn {
  /// How the answer reaches the caller.
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
  /// What it holds, and what it keeps once it has ended.
  let memory: MemoryBudget.Lease
  let calls = TurnCalls()
  private(set) var status = Status.running
  private let answer = AnswerText()
  private let trace = TurnTrace()
  /// It keeps the client that keeps this turn.
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

  /// The answer so far.
  var text: String {
    if case .completed(let response) = status { response.outputText } else { answer.whole }
  }

  /// What the bus is told of the status, beside its word.
  var details: VariantDictionary { withPartialText(status.details) }

  /// About how many bytes of memory it takes once it has ended.
  var footprint: Int { 1024 + text.utf8.count }

  /// About how many bytes ``text`` and ``details`` have together.
  var replyBytes: Int { 1024 + 2 * text.utf8.count }

  /// The status as the bus knows it.
  var statusWord: String { isRunning ? calls.status ?? status.word : status.word }

  var isBroadcast: Bool {
    if case .signals(broadcast: true) = delivery { return true }
    return false
  }

  var isRunning: Bool {
    if case .running = status { return true }
    return false
  }

  /// Runs the turn and calls `ended` when its status says how it went.
  ///
  /// - Parameter hold: makes room in memory for what the turn comes to hold.
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

  /// The whole answer.
  ///
  /// - Throws: `BusError`.
  func result() async throws -> String {
    await task?.value
    switch status {
    case .completed(let response): return response.outputText
    case .failed(let error, _), .cancelled(let error, _): throw error
    case .running: throw BusError(CancellationError())
    }
  }

  /// Waits until the turn has ended and its last signal is sent.
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

  /// Sends what happens beside the text, behind the text that came before. It is for the caller also where the answer
  /// is a reply: the caller may be who runs the tool.
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

  /// The details of a failure with what came of the answer, which is kept once.
  private func withPartialText(_ details: VariantDictionary) -> VariantDictionary {
    var details = details
    switch status {
    case .failed, .cancelled: if !text.isEmpty { details.set("partial_text", text) }
    case .running, .completed: break
    }
    return details
  }

  private func emit(_ signal: String, _ arguments: Variant, bytes: Int) {
    // Once, also for the caller: a second, directed copy would reach a caller that listens twice.
    object?.emit(ServiceInterfaces.client, signal, arguments, to: isBroadcast ? .everyone : .only([caller]))
    window.sent(bytes)
  }
}

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

  enum Status {
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
  /// What was sent of the answer. In pieces: one text that grows would be copied over and over.
  private var told: [String] = []
  /// It keeps the client that keeps this turn.
  private weak var object: BusObject?
  private let window: SendWindow
  private var task: Task<Void, Never>?
  private var drain: Task<Void, Never>?
  private lazy var coalescer = DeltaCoalescer { [unowned self] offset, text in
    told.append(text)
    self.emit("TextDelta", .tuple(id, UInt64(offset), text), bytes: text.utf8.count)
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
  var text: String { told.joined() + coalescer.pending }

  /// About how many bytes of memory it takes once it has ended: the answer, and once more in the details of a failure.
  var footprint: Int { 1024 + 2 * text.utf8.count }

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
    interaction: SecretServiceClient.Interaction, tools: ToolSet,
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void,
    _ run: @escaping @GLibActor (ChappieClient.TurnCaller) async throws -> ChappieResponse,
    ended: @escaping @GLibActor () -> Void
  ) {
    task = Task.onGLib {
      do {
        let caller = ChappieClient.TurnCaller(interaction: interaction, tools: tools, hold: hold) { self.deliver($0) }
        let response = try await run(caller)
        finish(.completed(response))
      } catch is CancellationError {
        finish(.cancelled(BusError(CancellationError()), failureDetails(nil)))
      } catch let error as ChappieRuntimeError {
        finish(.failed(BusError(error, turn: id), failureDetails(error)))
      } catch {
        finish(.failed(BusError(error), failureDetails(error)))
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

  private func deliver(_ event: ChappieStreamEvent) -> HTTPResponse.Verdict {
    guard isRunning else { return .stop }
    switch event {
    case .textDelta(let delta): return deliver(delta)
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
      if case .signals = delivery { emitInOrder("UsageLimitsUpdated", .tuple(id, limits.dictionary)) }
    case .completed: break
    }
    return .more
  }

  private func deliver(_ delta: String) -> HTTPResponse.Verdict {
    guard case .signals = delivery else {
      told.append(delta)
      return .more
    }
    drain = nil
    coalescer.add(delta)
    return drain.map { .pause(until: $0) } ?? .more
  }

  /// Sends what happens beside the text, behind the text that came before. It is for the caller also where the answer
  /// is a reply: the caller may be who runs the tool.
  private func emitInOrder(_ signal: String, _ arguments: Variant) {
    coalescer.flush()
    emit(signal, arguments, bytes: arguments.byteCount)
  }

  private func finish(_ status: Status) {
    self.status = status
    if case .signals = delivery { coalescer.flush() }
    // One text from now on, which is the answer's own where there is one.
    if case .completed(let response) = status { told = [response.outputText] } else { told = [text] }
    guard case .signals = delivery else { return }
    switch status {
    case .running: break
    case .completed(let response):
      emit("Completed", .tuple(id, response.outputText, response.details), bytes: response.outputText.utf8.count)
    case .failed(let error, let details), .cancelled(let error, let details):
      emit("Failed", .tuple(id, error.name, error.message, details), bytes: text.utf8.count)
    }
  }

  private func failureDetails(_ error: (any Error)?) -> VariantDictionary {
    var details =
      switch error {
      case let error as ChappieClientError: error.details
      case ChappieRuntimeError.notStored(let response, _)?: response.details
      default: [:] as VariantDictionary
      }
    if !text.isEmpty { details.set("partial_text", text) }
    return details
  }

  private func emit(_ signal: String, _ arguments: Variant, bytes: Int) {
    // Once, also for the caller: a second, directed copy would reach a caller that listens twice.
    object?.emit(ServiceInterfaces.client, signal, arguments, to: isBroadcast ? .everyone : .only([caller]))
    drain = window.sent(bytes)
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// A turn that a caller has started. It stays available for some time after its end.
@GLibActor
final class ServiceTurn {
  /// The way in which the answer reaches the caller.
  enum Delivery {
    /// As the reply of the method call. If it is broadcast, then as signals to everyone, too.
    case reply
    /// As signals to the caller, or to everyone, after the reply.
    case signals
    /// As lines on a socket of the caller, after the reply. It is not broadcast.
    case line
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

  let key: TurnKey
  let isBroadcast: Bool
  /// The lease for the memory of the turn. It shrinks when the turn ends.
  let memory: MemoryBudget.Lease
  let calls = TurnCalls()
  private(set) var status = Status.running
  private let answer: AnswerText
  let outlet: any TurnOutlet
  private let trace = TurnTrace()
  /// Waits for the user's consent to background use. It throws if there is none.
  private let consent: @GLibActor () async throws -> Void
  /// The wait for it. Nil for a turn that is not in the background.
  private var background: (task: Task<Void, Never>, isWaiting: Bool)?
  /// Nil before the beginning, and after the end: a task keeps its memory for as long as somebody holds it.
  private var task: Task<Void, Never>?
  /// Finished once the turn has ended and has sent its last event.
  let end = Wait()

  /// The reason that the turn was ended for, if it was not simply cancelled.
  private var fault: BusError?

  /// - Parameters:
  ///   - outlet: the way of the events to the caller.
  ///   - consent: waits for the user's consent to background use, and throws if there is none.
  init(_ place: TurnPlace, _ outlet: any TurnOutlet, consent: @escaping @GLibActor () async throws -> Void) {
    key = place.key
    isBroadcast = place.options.broadcast
    memory = place.memory.lease
    answer = place.answer
    self.outlet = outlet
    self.consent = consent
  }

  var id: String { key.id }
  var caller: String { key.caller }

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
  var statusWord: String {
    guard isRunning else { return status.word }
    return background?.isWaiting == true ? "waiting-for-approval" : calls.status ?? status.word
  }

  var isRunning: Bool {
    if case .running = status { return true }
    return false
  }

  /// Runs the turn, and calls `ended` after its status is final.
  ///
  /// - Parameter place: supplies the memory, which the turn changes while it runs.
  func start(
    _ place: TurnPlace, tools: ToolSet, _ run: @escaping @GLibActor (TurnCaller) async throws -> ChappieResponse,
    ended: @escaping @GLibActor () -> Void
  ) {
    task = Task.onGLib {
      if place.delivery != .reply { await place.replied.value() }
      do {
        let caller = TurnCaller(
          interaction: place.interaction, tools: tools, trace: trace,
          hold: { (bytes) throws(ChappieClientError) in try place.memory.set(.engine, to: bytes) },
          deliver: { self.deliver($0) })
        let response = try await run(caller)
        finish(.completed(response))
      } catch {
        finish(end(by: error))
      }
      ended()
      task = nil
      end.finish()
    }
  }

  func cancel() {
    task?.cancel()
  }

  // MARK: The background

  /// Goes on in the background once the user consents, and until then sends nothing to the backend.
  ///
  /// - Throws: `CancellationError` if the user does not consent, or the turn is cancelled.
  func beginInBackground() async throws {
    try await enterBackground().untilEnded()
    try Task.checkCancellation()
  }

  /// Goes on without its caller, which has left. Until the user consents, it reads nothing more from the backend.
  func callerLeft() {
    guard isRunning, task?.isCancelled == false else { return }
    _ = enterBackground()
  }

  private func enterBackground() -> Task<Void, Never> {
    if let background { return background.task }
    let task = Task.onGLib {
      do {
        try await consent()
      } catch is CancellationError {
      } catch {
        fail(BusError(error))
      }
      background?.isWaiting = false
    }
    background = (task, isWaiting: true)
    return task
  }

  /// Ends the turn with `error`, unless it has ended.
  func fail(_ error: BusError) {
    guard isRunning else { return }
    fault = fault ?? error
    task?.cancel()
  }

  /// Requests the approval of a call once more.
  ///
  /// - Parameter refusal: the reason that the caller's answer was not accepted.
  func askAgain(_ call: String, because refusal: BusError) {
    guard let request = calls.approvalRequest(of: call) else { return }
    outlet.send(TurnEvent(asking: request, refusal: refusal))
  }

  /// Waits for the end of the turn.
  ///
  /// - Returns: the whole answer.
  /// - Throws: `BusError` if the turn failed or was cancelled.
  func result() async throws -> String {
    await end.value()
    switch status {
    case .completed(let response): return response.outputText
    case .failed(let error, _), .cancelled(let error, _): throw error
    case .running: throw BusError(CancellationError())
    }
  }

  // MARK: Delivery

  private func deliver(_ event: ChappieStreamEvent) -> FlowControl {
    guard isRunning, fault == nil else { return .stop }
    switch event {
    case .textDelta(let text):
      answer.append(text)
      outlet.grew()
    case .toolCallRequested(let request): calls.began(request.callID)
    case .approvalRequested(let request): calls.asks(request)
    case .toolCallCompleted(let result): calls.ended(result.callID)
    case .webSearch, .citation, .usageLimits, .completed: break
    }
    if let event = TurnEvent(event) { outlet.send(event) }
    guard let background, background.isWaiting else { return outlet.flow }
    return outlet.flow.combined(with: .pause(until: background.task))
  }

  // MARK: Tool servers

  /// A tool server tells how far a call is.
  ///
  /// - Parameter part: the part that is done, from 0 to 1, where it is known.
  func progressed(_ call: String, _ message: String, _ part: Double?) {
    guard isRunning else { return }
    outlet.send(
      TurnEvent(
        signal: "ToolProgressed", event: "tool-progressed", texts: ["call": call, "message": message],
        details: ["part": part]))
  }

  /// Asks the user what a tool server wants to know.
  func answer(to question: MCPQuestion, of server: String, _ call: String) async -> MCPAnswer {
    guard isRunning else { return .cancel }
    outlet.send(
      TurnEvent(
        signal: "InputRequested", event: "input-requested", texts: ["call": call, "message": question.message],
        details: question.dictionary(of: server), kind: .tool))
    return await calls.answer(of: call)
  }

  private func end(by error: any Error) -> Status {
    // What the turn fails with after that follows from it.
    if let fault { return .failed(fault, [:]) }
    return switch error {
    case is CancellationError: .cancelled(BusError(error), [:])
    case ChappieRuntimeError.notStored(let response, let reason):
      .failed(BusError(notStored: reason, turn: id), response.details)
    default: .failed(BusError(error), (error as? ChappieClientError)?.details ?? [:])
    }
  }

  private func finish(_ status: Status) {
    self.status = status
    calls.endAll()
    background?.task.cancel()
    background = nil
    trace.log(id, of: caller, status)
    switch status {
    case .running: break
    case .completed(let response):
      answer.share(response.outputText)
      outlet.send(
        TurnEvent(
          signal: "Completed", event: "completed", texts: ["text": response.outputText], details: response.details,
          kind: .end))
    case .failed(let error, let details), .cancelled(let error, let details):
      outlet.send(
        TurnEvent(
          signal: "Failed", event: "failed", texts: ["error": error.name, "message": error.message],
          details: withPartialText(details), kind: .end))
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
}

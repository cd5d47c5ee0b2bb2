import ChappieSDK
import GLibBridge

/// The tool calls of one turn, as far as somebody on the bus has a part in them.
@GLibActor
final class TurnCalls {
  private enum Stage {
    case running
    case waitsForApproval(Promise<ChappieApprovalDecision>)
  }

  private struct Call {
    var stage: Stage
    /// What the handler brings that answers by `SubmitToolResult`.
    let result: Promise<ChappieToolResult>
  }

  private var calls: [String: Call] = [:]

  /// What the turn waits for, as a status; nil when it is not for a tool.
  var status: String? {
    guard !calls.isEmpty else { return nil }
    let isAsking = calls.values.contains { if case .waitsForApproval = $0.stage { true } else { false } }
    return isAsking ? "waiting-for-approval" : "waiting-for-tool"
  }

  // MARK: Events of the turn

  func began(_ call: String) {
    calls[call] = Call(stage: .running, result: Promise())
  }

  func asks(_ call: String) {
    calls[call]?.stage = .waitsForApproval(Promise())
  }

  func ended(_ call: String) {
    calls[call] = nil
  }

  // MARK: Waiting

  func approval(of call: String) async -> ChappieApprovalDecision {
    guard case .waitsForApproval(let promise)? = calls[call]?.stage else { return .denied() }
    defer { calls[call]?.stage = .running }
    return (try? await promise.value()) ?? .denied()
  }

  func result(of call: String) async throws -> ChappieToolResult {
    guard let promise = calls[call]?.result else { throw CancellationError() }
    return try await promise.value()
  }

  // MARK: Answering

  /// - Throws: `BusError` with `InvalidArgument`.
  func submit(_ result: ChappieToolResult, for call: String) throws {
    guard let promise = calls[call]?.result, !promise.isFulfilled else {
      throw BusError(.invalidArgument, "No call '\(Redaction.message(call))' of this turn waits for a result.")
    }
    promise.fulfil(result)
  }

  /// - Throws: `BusError` with `InvalidArgument`.
  func resolve(_ decision: ChappieApprovalDecision, for call: String) throws {
    guard case .waitsForApproval(let promise)? = calls[call]?.stage, !promise.isFulfilled else {
      throw BusError(.invalidArgument, "No call '\(Redaction.message(call))' of this turn waits for approval.")
    }
    promise.fulfil(decision)
  }
}

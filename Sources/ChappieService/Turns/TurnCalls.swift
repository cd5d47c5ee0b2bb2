// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge
import Platform

/// The tool calls of one turn that have not ended, with the approvals and results that they wait for.
@GLibActor
final class TurnCalls {
  /// A call, and what it waits for.
  private struct Call {
    enum Stage {
      case running, waitsForApproval
      /// The decision has just come, and whoever runs the call does not know it yet.
      case approved
      /// A program gives the result with `SubmitToolResult`.
      case waitsForResult
    }

    var stage = Stage.running
    /// Nil before it is asked for, and after whoever runs the call knows the decision.
    var approval: (request: ChappieApprovalRequest, decision: Promise<ChappieApprovalDecision>)?
    let result: Promise<ChappieToolResult>
    /// The size of a result for which the call does not wait yet, in bytes.
    var earlyBytes = 0
    /// The question of a tool server that waits for the user.
    var question: Promise<MCPAnswer>?
  }

  private var calls: [String: Call] = [:]
  /// The ids of all calls of the turn.
  private var known: Set<String> = []

  /// The status of a turn that waits for an approval or a tool; nil if it waits for neither.
  var status: String? {
    guard !calls.isEmpty else { return nil }
    return calls.values.contains { $0.stage == .waitsForApproval } ? "waiting-for-approval" : "waiting-for-tool"
  }

  // MARK: Events of the turn

  func began(_ call: String) {
    known.insert(call)
    calls[call] = Call(result: Promise())
  }

  func asks(_ request: ChappieApprovalRequest) {
    calls[request.callID]?.stage = .waitsForApproval
    calls[request.callID]?.approval = (request, Promise())
  }

  func ended(_ call: String) {
    calls.removeValue(forKey: call)?.question?.fulfil(.cancel)
  }

  /// Forgets the calls of a turn that has ended, whose record stays for a while.
  func endAll() {
    for call in calls.keys { ended(call) }
  }

  // MARK: Waiting

  func approval(of call: String) async -> ChappieApprovalDecision {
    guard let promise = calls[call]?.approval?.decision else { return .denied() }
    defer { calls[call]?.approval = nil }
    if let decision = try? await promise.value() { return decision }
    goOn(call)
    return .denied()
  }

  func result(of call: String) async throws -> ChappieToolResult {
    guard let promise = calls[call]?.result else { throw CancellationError() }
    calls[call]?.stage = .waitsForResult
    calls[call]?.earlyBytes = 0
    defer { goOn(call) }
    return try await promise.value()
  }

  /// Waits until the user has answered a question of the call.
  func answer(of call: String) async -> MCPAnswer {
    guard calls[call] != nil else { return .cancel }
    let promise = Promise<MCPAnswer>()
    calls[call]?.question?.fulfil(.cancel)
    calls[call]?.question = promise
    defer { if calls[call]?.question === promise { calls[call]?.question = nil } }
    return (try? await withDeadline(MCPQuestion.patience) { try await promise.value() }) ?? .cancel
  }

  /// Sets a call back to running, unless it has ended meanwhile.
  func goOn(_ call: String) {
    calls[call]?.stage = .running
  }

  // MARK: Answering

  /// Whether the turn made a call with this id, which may have ended.
  func knows(_ call: String) -> Bool { known.contains(call) }

  /// Gives the result of a call that may not wait for it yet, because its approval came just before.
  ///
  /// - Returns: false for a call that has its result or has ended.
  func offer(_ result: ChappieToolResult, for call: String) -> Bool {
    guard let promise = calls[call]?.result, !promise.isFulfilled else { return false }
    if calls[call]?.stage != .waitsForResult { calls[call]?.earlyBytes = result.output.utf8.count }
    promise.fulfil(result)
    return true
  }

  /// The size of all results that wait for their calls, in bytes.
  var earlyBytes: Int { calls.values.reduce(0) { $0 + $1.earlyBytes } }

  /// Whether a call waits for approval.
  func waitsForApproval(_ call: String) -> Bool { calls[call]?.stage == .waitsForApproval }

  /// The request for approval of a call that waits for it.
  func approvalRequest(of call: String) -> ChappieApprovalRequest? {
    waitsForApproval(call) ? calls[call]?.approval?.request : nil
  }

  /// Gives the result of a call, which may not wait for it yet if its approval came just before.
  ///
  /// - Throws: `BusError` with `InvalidArgument` if the call does not wait for one.
  func submit(_ result: ChappieToolResult, for call: String) throws {
    guard [.approved, .waitsForResult].contains(calls[call]?.stage), offer(result, for: call) else {
      throw Self.waitsForNone(call, "a result")
    }
  }

  /// Gives the user's answer to the question of a call. While the screen or the keyring is locked, it accepts nothing, as
  /// ``resolve(_:for:)``.
  ///
  /// - Throws: `BusError` with `InvalidArgument` if the call does not wait for one, or with `Locked`.
  func submit(_ answer: MCPAnswer, for call: String) throws {
    guard let question = calls[call]?.question else { throw Self.waitsForNone(call, "input") }
    if case .accept = answer, !LockMonitor.shared.mayApprove {
      Log.notice("A question of a tool server was not answered: the screen or the keyring is locked.")
      throw Self.locked
    }
    calls[call]?.question = nil
    question.fulfil(answer)
  }

  private static let locked = BusError(
    .locked, en("Nothing is approved while the screen or the keyring is locked: unlock it, or deny."))

  private static func waitsForNone(_ call: String, _ thing: String) -> BusError {
    BusError(
      .invalidArgument,
      "No call '\(Redaction.name(call) ?? Redaction.message(call))' of this turn waits for \(thing).")
  }

  /// Gives the decision on a call. While the screen or the keyring is locked, it approves nothing, because the person
  /// may not be the user.
  ///
  /// - Throws: `BusError` with `InvalidArgument` if the call does not wait for approval, or with `Locked`.
  func resolve(_ decision: ChappieApprovalDecision, for call: String) throws {
    guard waitsForApproval(call) else { throw Self.waitsForNone(call, "approval") }
    if case .approve = decision, !LockMonitor.shared.mayApprove {
      Log.notice("A tool call was not approved: the screen or the keyring is locked.")
      throw Self.locked
    }
    goOn(call)
    if case .approve = decision { calls[call]?.stage = .approved }
    calls[call]?.approval?.decision.fulfil(decision)
  }
}

extension ChappieApprovalDecision {
  /// The decision of a caller; an empty `reason` means none.
  init(approved: Bool, reason: String) {
    self = approved ? .approved() : .denied(reason: reason.isEmpty ? nil : reason)
  }
}

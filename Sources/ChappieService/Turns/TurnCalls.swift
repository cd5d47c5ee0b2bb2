// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge
import Platform

/// The tool calls of one turn that have not ended, with the approvals and results that they wait for.
@GLibActor
final class TurnCalls {
  /// The state of a call.
  private enum Stage {
    case running
    case waitsForApproval(ChappieApprovalRequest, Promise<ChappieApprovalDecision>)
    /// The decision has just come, and whoever runs the call does not know it yet.
    case approved
    /// A program gives the result with `SubmitToolResult`.
    case waitsForResult(Promise<ChappieToolResult>)
  }

  private var calls: [String: Stage] = [:]
  /// The questions of tool servers that wait for the user, by their calls.
  private var questions: [String: Promise<MCPAnswer>] = [:]
  /// The ids of all calls of the turn.
  private var known: Set<String> = []
  /// Results of calls that do not wait for them yet.
  private var early: [String: ChappieToolResult] = [:]

  /// The status of a turn that waits for an approval or a tool; nil if it waits for neither.
  var status: String? {
    guard !calls.isEmpty else { return nil }
    let isAsking = calls.values.contains { if case .waitsForApproval = $0 { true } else { false } }
    return isAsking ? "waiting-for-approval" : "waiting-for-tool"
  }

  // MARK: Events of the turn

  func began(_ call: String) {
    known.insert(call)
    calls[call] = .running
  }

  func asks(_ request: ChappieApprovalRequest) {
    calls[request.callID] = .waitsForApproval(request, Promise())
  }

  func ended(_ call: String) {
    calls[call] = nil
    early[call] = nil
  }

  /// Forgets the calls of a turn that has ended, whose record stays for a while.
  func endAll() {
    calls = [:]
    early = [:]
    for question in questions.values { question.fulfil(.cancel) }
    questions = [:]
  }

  // MARK: Waiting

  func approval(of call: String) async -> ChappieApprovalDecision {
    guard case .waitsForApproval(_, let promise)? = calls[call] else { return .denied() }
    let decision = (try? await promise.value()) ?? .denied()
    goOn(call)
    if case .approve = decision, calls[call] != nil { calls[call] = .approved }
    return decision
  }

  func result(of call: String) async throws -> ChappieToolResult {
    if let result = early.removeValue(forKey: call) { return result }
    let promise = Promise<ChappieToolResult>()
    calls[call] = .waitsForResult(promise)
    defer { goOn(call) }
    return try await promise.value()
  }

  /// Waits until the user has answered a question of the call.
  func answer(of call: String) async -> MCPAnswer {
    let promise = Promise<MCPAnswer>()
    questions[call]?.fulfil(.cancel)
    questions[call] = promise
    defer { if questions[call] === promise { questions[call] = nil } }
    return (try? await withDeadline(MCPQuestion.patience) { try await promise.value() }) ?? .cancel
  }

  /// Sets a call back to running, unless it has ended meanwhile.
  func goOn(_ call: String) {
    if calls[call] != nil { calls[call] = .running }
  }

  // MARK: Answering

  /// Whether the turn made a call with this id, which may have ended.
  func knows(_ call: String) -> Bool { known.contains(call) }

  /// Gives the result of a call that may not wait for it yet, because its approval came just before.
  ///
  /// - Returns: false for a call that has its result or has ended.
  func offer(_ result: ChappieToolResult, for call: String) -> Bool {
    switch calls[call] {
    case .waitsForResult(let promise)?:
      defer { promise.fulfil(result) }
      return !promise.isFulfilled
    case .running?, .waitsForApproval?, .approved?:
      defer { early[call] = early[call] ?? result }
      return early[call] == nil
    case nil: return false
    }
  }

  /// The size of all results that wait for their calls, in bytes.
  var earlyBytes: Int { early.values.reduce(0) { $0 + $1.output.utf8.count } }

  /// Whether a call waits for approval.
  func waitsForApproval(_ call: String) -> Bool {
    if case .waitsForApproval(_, let promise)? = calls[call] { !promise.isFulfilled } else { false }
  }

  /// The request for approval of a call that waits for it.
  func approvalRequest(of call: String) -> ChappieApprovalRequest? {
    if case .waitsForApproval(let request, _)? = calls[call] { request } else { nil }
  }

  /// Gives the result of a call, which may not wait for it yet if its approval came just before.
  ///
  /// - Throws: `BusError` with `InvalidArgument` if the call does not wait for one.
  func submit(_ result: ChappieToolResult, for call: String) throws {
    switch calls[call] {
    case .waitsForResult(let promise)? where !promise.isFulfilled: promise.fulfil(result)
    case .waitsForApproval(_, let promise)? where promise.isFulfilled && early[call] == nil: early[call] = result
    case .approved? where early[call] == nil: early[call] = result
    default: throw Self.waitsForNone(call, "a result")
    }
  }

  /// Gives the user's answer to the question of a call. While the screen or the keyring is locked, it accepts nothing, as
  /// ``resolve(_:for:)``.
  ///
  /// - Throws: `BusError` with `InvalidArgument` if the call does not wait for one, or with `Locked`.
  func submit(_ answer: MCPAnswer, for call: String) throws {
    guard let question = questions[call] else { throw Self.waitsForNone(call, "input") }
    if case .accept = answer, !LockMonitor.shared.mayApprove {
      Log.notice("A question of a tool server was not answered: the screen or the keyring is locked.")
      throw Self.locked
    }
    questions[call] = nil
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
    guard case .waitsForApproval(_, let promise)? = calls[call], !promise.isFulfilled else {
      throw Self.waitsForNone(call, "approval")
    }
    if case .approve = decision, !LockMonitor.shared.mayApprove {
      Log.notice("A tool call was not approved: the screen or the keyring is locked.")
      throw Self.locked
    }
    promise.fulfil(decision)
  }
}

extension ChappieApprovalDecision {
  /// The decision of a caller; an empty `reason` means none.
  init(approved: Bool, reason: String) {
    self = approved ? .approved() : .denied(reason: reason.isEmpty ? nil : reason)
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge

/// The socket of a turn: reads the caller's lines, and acts on them.
@GLibActor
final class TurnLine {
  /// The longest wait for the question.
  private static let questionPatience = Duration.seconds(600)
  /// The most answers to calls that wait for none. Such an answer is no error, because another one may have come first.
  private static let lateAnswers = 1000

  /// The shortest time between two refused approvals of a call: each refusal is a line here and one in the log.
  private static let pauseAfterRefusal = Duration.seconds(1)

  typealias Question = (prompt: Prompt, attachments: Attachments)

  let socket: StreamSocket
  private let memory: TurnMemory
  private let reader: LineReader
  private let question = Promise<Question>()
  private var lateAnswers = 0
  /// While locked, approvals of these calls are ignored until then: the last one was refused. A denial always counts.
  private var refusedUntil: [String: ContinuousClock.Instant] = [:]
  private var reading: Task<Void, Never>?

  /// - Parameter memory: counts the bytes of a line that has not ended.
  init(_ socket: StreamSocket, _ memory: TurnMemory) {
    self.socket = socket
    self.memory = memory
    reader = LineReader(socket, limit: CallerLine.limit) { try memory.set(.line, to: 2 * $0) }
  }

  /// Begins to read lines for `turn`.
  func follow(_ turn: ServiceTurn) {
    socket.onHangUp = { [weak turn] in turn?.cancel() }
    reading = Task.onGLib { [weak self, weak turn] in
      do {
        while let line = try await self?.next(), let turn { try await self?.take(line, for: turn) }
        guard let self, question.isFulfilled || !socket.isOpen else {
          throw BusError(.invalidArgument, "The stream ended before a question came.")
        }
      } catch is CancellationError {
      } catch {
        turn?.fail(BusError(error))
      }
    }
  }

  /// Stops reading.
  func end() {
    reading?.cancel()
  }

  /// Waits for the question.
  ///
  /// - Throws: `BusError` with `InvalidArgument` if none comes in ten minutes; `CancellationError`.
  func asked() async throws -> Question {
    do {
      return try await withDeadline(Self.questionPatience) { [question] in try await question.value() }
    } catch let error as GLibError where error.isTimeout {
      throw BusError(.invalidArgument, "No question came within ten minutes: open a turn when there is one.")
    }
  }

  private func next() async throws -> [UInt8]? {
    do {
      return try await reader.next()
    } catch let failure as LineReader.Failure {
      throw switch failure {
      case .tooLong(let limit):
        BusError(.limitExceeded, "A line has more than the \(limit >> 20) MiB that are allowed: send less.")
      case .unfinished(let patience):
        CallerLine.refusal("it did not end within \(patience.components.seconds) seconds")
      case .cutOff: CallerLine.refusal("the stream ended within it")
      }
    }
  }

  private func take(_ bytes: [UInt8], for turn: ServiceTurn) async throws {
    switch try await decoded(byteCount: bytes.count, { try CallerLine(bytes) }) {
    case .question(let prompt, let attachments):
      guard !question.isFulfilled else { throw CallerLine.refusal("the turn has its question already") }
      question.fulfil((prompt, attachments))
    case .toolResult(let call, let result):
      if !turn.calls.offer(result, for: call) { try noteLateAnswer(to: call, of: turn) }
      try memory.set(.early, to: turn.calls.earlyBytes)
    case .approval(let call, let decision):
      await LockMonitor.shared.ready()
      guard turn.calls.waitsForApproval(call), !isRefusedAgain(decision, call) else {
        return try noteLateAnswer(to: call, of: turn)
      }
      do {
        try turn.calls.resolve(decision, for: call)
      } catch let error as BusError where error.name == ErrorName.locked.busName {
        refusedUntil[call] = .now + Self.pauseAfterRefusal
        turn.askAgain(call, because: error)
      }
    case .input(let call, let answer):
      await LockMonitor.shared.ready()
      do {
        try turn.calls.submit(answer, for: call)
      } catch let error as BusError where error.name == ErrorName.locked.busName {
        try turn.calls.submit(.cancel, for: call)
      } catch {
        try noteLateAnswer(to: call, of: turn)
      }
    case .cancel: turn.cancel()
    }
  }

  private func isRefusedAgain(_ decision: ChappieApprovalDecision, _ call: String) -> Bool {
    guard case .approve = decision, let next = refusedUntil[call] else { return false }
    return !LockMonitor.shared.mayApprove && next > .now
  }

  /// - Throws: `BusError` with `InvalidArgument` for a call that the turn did not make, or with `LimitExceeded`.
  private func noteLateAnswer(to call: String, of turn: ServiceTurn) throws {
    guard turn.calls.knows(call) else {
      throw CallerLine.refusal("the turn has made no call '\(Redaction.name(call) ?? Redaction.message(call))'")
    }
    lateAnswers += 1
    guard lateAnswers <= Self.lateAnswers else {
      throw BusError(.limitExceeded, "Too many answers came to calls that wait for none.")
    }
  }
}

import GLibBridge

/// A whole answer to one request.
struct Answer {
  let text: String
  /// What the model made, in order, as it came.
  let items: [JSON]
  let responseID: String
  let usage: ChappieTokenUsage
}

/// Reads one answer off its transport and hands it on.
///
/// After a reconnect the backend answers from the start. What was delivered before is then expected to come again,
/// and passed over.
@GLibActor
final class AnswerReader {
  private let scope: TurnScope
  private var assembler = ResponseAssembler()
  /// The part of what was delivered that has not come again yet.
  private var toRepeat: ArraySlice<UInt8>
  /// What was delivered before this attempt.
  private let before: String
  private var hasDiverged = false

  /// - Parameter before: what earlier attempts have delivered of this answer.
  init(_ scope: TurnScope, repeating before: String) {
    self.scope = scope
    self.before = before
    toRepeat = ArraySlice(before.utf8)
  }

  /// What has been delivered of this answer, now and before.
  var delivered: String { toRepeat.isEmpty ? assembler.text : before }

  /// Takes the data of one event.
  func take(_ data: borrowing Span<UInt8>) -> HTTPResponse.Verdict {
    let event = ResponseEvent.decode(data)
    switch event {
    case .turnState(let state): scope.turnState = state
    case .rateLimits(let limits): scope.report(limits)
    case .refused(_, _, usage: let limits, let body):
      scope.turnState = body["headers"]?["x-codex-turn-state"]?.string ?? scope.turnState
      scope.report(limits)
    default: break
    }
    let text = assembler.take(event)
    var verdict = HTTPResponse.Verdict.more
    if !text.isEmpty { verdict = deliver(text) }
    if hasDiverged { return .stop }
    if case .open = assembler.outcome { return verdict }
    return .stop
  }

  private func deliver(_ text: String) -> HTTPResponse.Verdict {
    guard !toRepeat.isEmpty else { return scope.deliver(.textDelta(text)) }
    let bytes = Array(text.utf8)
    let count = min(bytes.count, toRepeat.count)
    guard bytes.prefix(count).elementsEqual(toRepeat.prefix(count)) else {
      hasDiverged = true
      return .stop
    }
    toRepeat = toRepeat.dropFirst(count)
    guard count < bytes.count else { return .more }
    return scope.deliver(.textDelta(String(decoding: bytes.dropFirst(count), as: UTF8.self)))
  }

  /// The answer, once its stream has ended.
  ///
  /// - Throws: ``ExchangeFailure``.
  func answer() throws -> Answer {
    if hasDiverged { throw diverged }
    switch assembler.outcome {
    case .open: throw ExchangeFailure.broken(.network("the answer broke off before its end"))
    case .failed(let failure): throw failure
    case .completed(let id, let usage):
      guard toRepeat.isEmpty else { throw diverged }
      return Answer(text: assembler.text, items: assembler.items, responseID: id, usage: usage)
    }
  }

  private var diverged: ExchangeFailure { .final(.streamingTransportReplayDiverged(scope.wholeText(with: before))) }
}

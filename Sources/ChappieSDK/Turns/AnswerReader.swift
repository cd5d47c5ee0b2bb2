import GLibBridge

/// A whole answer to one request.
struct Answer {
  let text: String
  /// The slug of the model that was asked.
  let model: String
  /// Whether the model says in it that it does not answer.
  let isRefusal: Bool
  /// What the model made, in order, as it came.
  let items: [ChappieJSONValue]
  let responseID: String
  let usage: ChappieTokenUsage
  /// As it may be shown; empty where it may not.
  let shownID: String
  /// The calls among the items.
  let calls: [ToolCallItem]
  /// Calls of another kind, which nothing here runs.
  let foreignCalls: ForeignCalls

  /// To be made while the token of the request is at hand: no name in the answer may be a part of it.
  init(
    text: String, isRefusal: Bool = false, model: String, items: [ChappieJSONValue], responseID: String,
    usage: ChappieTokenUsage
  ) {
    self.text = text
    self.isRefusal = isRefusal
    self.model = model
    self.items = items
    self.responseID = responseID
    self.usage = usage
    shownID = Redaction.name(responseID) ?? ""
    calls = items.compactMap(ToolCallItem.init)
    foreignCalls = ForeignCalls(among: items)
  }
}

/// Reads one answer off its transport and hands it on.
///
/// After a reconnect the backend answers from the start. What was delivered before is then expected to come again,
/// and passed over.
@GLibActor
final class AnswerReader {
  private enum Replay {
    /// The part of what was delivered that has not come again yet.
    case awaiting(ArraySlice<UInt8>)
    /// All of it has: what comes now is new.
    case done
    /// Something else came.
    case diverged
  }

  private let scope: TurnScope
  private let model: String
  private var assembler: ResponseAssembler
  /// What was delivered before this attempt.
  private let before: String
  private var replay: Replay
  /// Why no more is read.
  private var excess: ChappieClientError?

  /// - Parameters:
  ///   - model: the slug of the model that is asked.
  ///   - before: what earlier attempts have delivered of this answer.
  init(_ scope: TurnScope, asking model: String, repeating before: String) {
    self.scope = scope
    self.model = model
    assembler = ResponseAssembler()
    self.before = before
    replay = before.isEmpty ? .done : .awaiting(ArraySlice(before.utf8))
  }

  /// What has been delivered of this answer, now and before.
  var delivered: String {
    if case .done = replay { return assembler.text }
    return before
  }

  /// Lets nothing count before the backend says that the answer begins: earlier ones came the same way.
  func expectBeginning() {
    assembler = ResponseAssembler(beginning: .due)
  }

  /// What is decoded at once, in bytes: others wait meanwhile.
  private static let shortEvent = 64 << 10

  /// Takes the data of one event.
  func take(_ data: borrowing Span<UInt8>) -> HTTPResponse.Verdict {
    guard data.count > Self.shortEvent else {
      return take(ResponseEvent.decode(data, of: assembler.answerID), of: data.count)
    }
    let (bytes, id) = (Array(copying: data), assembler.answerID)
    return .later(Task.onGLib { take(await offActor { ResponseEvent.decode(bytes.span, of: id) }, of: bytes.count) })
  }

  /// - Parameter byteCount: how long the event was.
  private func take(_ event: ResponseEvent, of byteCount: Int) -> HTTPResponse.Verdict {
    switch event {
    case .turnState(let state): if assembler.hasBegun { scope.turnState = state }
    case .rateLimits(let limits): scope.report(limits)
    case .refused(_, _, usage: let limits, let body):
      scope.turnState = body["headers"]?["x-codex-turn-state"]?.stringValue ?? scope.turnState
      scope.report(limits)
    default: break
    }
    do throws(ChappieClientError) {
      if case .itemDone(let item) = event { try scope.size.add(item, bytes: byteCount) }
    } catch {
      return stop(error)
    }
    let text = assembler.take(event)
    do throws(ChappieClientError) {
      try scope.size.grow(text: assembler.byteCount)
    } catch {
      return stop(error)
    }
    var verdict = HTTPResponse.Verdict.more
    if !text.isEmpty { verdict = deliver(text) }
    if case .diverged = replay { return .stop }
    if case .open = assembler.outcome { return verdict }
    return .stop
  }

  /// Notes what has come of an event that is not complete.
  func buffers(_ bytes: Int) -> HTTPResponse.Verdict {
    do throws(ChappieClientError) {
      try scope.size.buffer(bytes)
      return .more
    } catch {
      return stop(error)
    }
  }

  private func stop(_ excess: ChappieClientError) -> HTTPResponse.Verdict {
    self.excess = excess
    return .stop
  }

  private func deliver(_ text: String) -> HTTPResponse.Verdict {
    switch replay {
    case .done: return scope.deliver(.textDelta(text))
    case .diverged: return .stop
    case .awaiting(let rest): return compare(text, with: rest)
    }
  }

  private func compare(_ text: String, with rest: ArraySlice<UInt8>) -> HTTPResponse.Verdict {
    let bytes = Array(text.utf8)
    let count = min(bytes.count, rest.count)
    guard bytes.prefix(count).elementsEqual(rest.prefix(count)) else {
      replay = .diverged
      return .stop
    }
    replay = count < rest.count ? .awaiting(rest.dropFirst(count)) : .done
    guard count < bytes.count else { return .more }
    return scope.deliver(.textDelta(String(decoding: bytes.dropFirst(count), as: UTF8.self)))
  }

  /// The answer, once its stream has ended.
  ///
  /// - Throws: ``ExchangeFailure``.
  func answer() throws -> Answer {
    if let excess { throw ExchangeFailure.final(excess) }
    if case .diverged = replay { throw diverged }
    switch assembler.outcome {
    case .open: throw ExchangeFailure.broken(.network("the answer broke off before its end"))
    case .failed(let failure): throw failure
    case .completed(let id, let usage):
      guard case .done = replay else { throw diverged }
      return Answer(
        text: assembler.text, isRefusal: assembler.isRefusal, model: model, items: assembler.items, responseID: id,
        usage: usage)
    }
  }

  private var diverged: ExchangeFailure { .final(.streamingTransportReplayDiverged(scope.wholeText(with: before))) }
}

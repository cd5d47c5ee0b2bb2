// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Reads the answer to one request and passes its text to the turn's scope.
@GLibActor
final class AnswerReader: ResponseReader {
  private let scope: TurnScope
  private var assembler: ResponseAssembler
  private var bound = StreamBound()
  /// The limit that the answer exceeded; nothing is read after that.
  private var excess: ChappieClientError?

  init(_ scope: TurnScope) {
    self.scope = scope
    assembler = ResponseAssembler(scope.text)
  }

  func take(_ headers: HTTPHeaders) -> FlowControl { scope.take(headers) }

  func expectBeginning() {
    assembler = ResponseAssembler(scope.text, beginning: .due)
  }

  /// The maximum size in bytes of an event that is decoded on the actor. Decoding a longer one would delay others.
  private static let shortEvent = 64 << 10

  func take(_ data: borrowing Span<UInt8>) -> FlowControl {
    guard data.count > Self.shortEvent else {
      return take(ResponseEvent.decode(data, of: assembler.answerID), of: data.count)
    }
    let (bytes, id) = (Array(copying: data), assembler.answerID)
    return .decide(Task.onGLib { take(await offActor { ResponseEvent.decode(bytes.span, of: id) }, of: bytes.count) })
  }

  /// - Parameter byteCount: the length of the event.
  private func take(_ event: ResponseEvent, of byteCount: Int) -> FlowControl {
    var flow = takeNews(event)
    do throws(ChappieClientError) {
      if case .itemDone(let item) = event { try scope.size.add(item, bytes: byteCount) }
      let piece = assembler.take(event)
      // What was refused may be of another answer.
      if case .open = assembler.outcome, let step = scope.search.step(event, addsText: !piece.isEmpty) {
        flow = flow.combined(with: scope.caller.deliver(.webSearch(step)))
      }
      if !piece.isEmpty {
        try scope.size.grow(text: scope.text.byteCount + piece.utf8.count)
        scope.caller.trace.noteDelta()
        flow = flow.combined(with: scope.caller.deliver(.textDelta(scope.text.append(piece))))
      }
      if case .open = assembler.outcome, let source = assembler.source(of: event)?.moved(by: scope.text.latestStart),
        scope.search.tells(source)
      {
        flow = flow.combined(with: scope.caller.deliver(.citation(source)))
      }
    } catch {
      return stop(error)
    }
    if case .open = assembler.outcome { return flow }
    return .stop
  }

  /// Handles the parts of an event that do not belong to the answer.
  private func takeNews(_ event: ResponseEvent) -> FlowControl {
    switch event {
    case .turnState(let state) where assembler.hasBegun:
      scope.line.turnState = state
      return .proceed
    case .rateLimits(let limits):
      return scope.report(limits)
    case .refused(_, _, usage: let limits, let body):
      scope.line.turnState = body["headers"]?["x-codex-turn-state"]?.stringValue ?? scope.line.turnState
      return scope.report(limits)
    default:
      return .proceed
    }
  }

  func count(_ bytes: Int, part: Int) -> FlowControl {
    do throws(ChappieClientError) {
      try bound.take(bytes)
      try scope.size.buffer(part)
      return .proceed
    } catch {
      return stop(error)
    }
  }

  private func stop(_ excess: ChappieClientError) -> FlowControl {
    self.excess = excess
    return .stop
  }

  func answer() throws -> BackendAnswer {
    if let excess { throw ExchangeFailure.final(excess) }
    switch assembler.outcome {
    case .open: throw ExchangeFailure.broken(.network(en("the answer broke off before its end")))
    case .failed(let failure): throw failure
    case .completed(let id, let usage):
      return BackendAnswer(
        items: assembler.items, isRefusal: assembler.isRefusal,
        citations: assembler.citations.map { $0.moved(by: scope.text.latestStart) },
        searches: assembler.items.count(where: \.isSearch), responseID: id, usage: usage)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Assembles an answer from its events.
///
/// After a reconnect the backend repeats the answer from its start. The assembler skips the text that it has already.
struct ResponseAssembler {
  enum Outcome {
    /// The stream has not reported its end.
    case open
    case completed(id: String, usage: ChappieTokenUsage)
    case failed(ExchangeFailure)
  }

  /// The text so far, with every piece that ``take(_:)`` has returned; messages are paragraphs of it.
  private let text: AnswerText
  /// The bytes of the answer that this attempt has brought.
  private var position = 0
  /// Whether the model refuses to answer.
  private(set) var isRefusal = false
  /// The model's output, in order.
  private(set) var items: [ChappieJSONValue] = []
  private(set) var outcome = Outcome.open
  private var beginning: Beginning
  /// The start of the current message's text. Nil after a complete message: further text belongs to another one.
  private var messageStart: Int? = 0
  private var marks = CitationMarks()
  /// The current message as the model sent it; nil if it is longer than ``searchedBytes``.
  private var raw: String? = ""
  /// The number of sources that ``source(of:)`` was asked for.
  private var announced = 0
  /// The sources that the answer names, with places in its text.
  private(set) var citations: [ChappieCitation] = []

  /// The state of the answer's beginning.
  enum Beginning: Equatable {
    /// The backend must report the beginning first: earlier events belong to another answer.
    case due
    /// The backend may report the beginning.
    case optional
    /// The backend has reported the beginning: the answer has this id.
    case told(id: String)
  }

  /// - Parameter text: the text of this answer from earlier attempts.
  init(_ text: AnswerText, beginning: Beginning = .optional) {
    self.text = text
    self.beginning = beginning
  }

  /// The answer's id; nil until the backend reports it.
  var answerID: String? {
    if case .told(let id) = beginning { return id }
    return nil
  }

  /// Whether events can belong to this answer.
  var hasBegun: Bool { beginning != .due }

  /// Takes an event and returns the text that it adds, possibly empty. Append that text before the next event.
  mutating func take(_ event: ResponseEvent) -> String {
    if case .due = beginning, event.isPartOfAnswer {
      outcome = .failed(.staleSocket(.network("what came was of an earlier answer")))
      return ""
    }
    switch event {
    case .created(let id):
      beginning = .told(id: id)
    case .foreign:
      outcome = .failed(.broken(.network("what came was of another answer")))
    case .textDelta(let delta):
      keep(delta)
      return add(marks.shown(delta))
    case .refusalDelta(let delta):
      isRefusal = true
      return add(delta)
    case .itemDone(let item):
      items.append(item)
      if item.isRefusal { isRefusal = true }
      return item.messageText.map { finishMessage($0, citing: item.citations) } ?? ""
    case .completed(let id, let usage):
      outcome = position < text.latestByteCount ? diverged : .completed(id: id, usage: usage)
    case .failed(let error):
      outcome = .failed(ExchangeFailure(event: error))
    case .incomplete(let reason):
      outcome = .failed(
        .final(.httpError(200, "The answer is incomplete (\(Redaction.message(reason ?? "no reason given"))).")))
    case .refused(let status?, let retryAfter, let usage, let body):
      outcome = .failed(
        ExchangeFailure(status: status, retryAfter: retryAfter, answer: body, usage: usage))
    case .refused(nil, _, _, let body):
      outcome = .failed(ExchangeFailure(event: WireError(within: body)))
    case .turnState, .rateLimits, .searching, .annotation, .other:
      break
    }
    return ""
  }

  /// Adds a piece of a message, after a gap if another message came before.
  private mutating func add(_ piece: String) -> String {
    guard messageStart == nil, !piece.isEmpty else { return pass(piece) }
    let gap = position == 0 ? "" : AnswerText.gap
    messageStart = position + gap.utf8.count
    return pass(gap + piece)
  }

  /// The part of the next piece that no earlier attempt brought.
  private mutating func pass(_ piece: String) -> String {
    defer { position += piece.utf8.count }
    guard position < text.latestByteCount else { return piece }
    let known = text.latestBytes(from: position, count: piece.utf8.count)
    guard piece.utf8.starts(with: known) else {
      outcome = diverged
      return ""
    }
    return String(decoding: piece.utf8.dropFirst(known.count), as: UTF8.self)
  }

  private var diverged: Outcome { .failed(.final(.streamingTransportReplayDiverged(text.whole))) }

  /// Completes a message from its whole text, which is authoritative: adds the part that the deltas did not bring.
  private mutating func finishMessage(_ whole: String, citing sources: [ChappieCitation]) -> String {
    let start = messageStart ?? position
    let written = text.latestBytes(from: start, count: position - start)
    let isLonger = whole.utf8.count > written.count && whole.utf8.starts(with: written)
    let piece = isLonger ? add(String(decoding: whole.utf8.dropFirst(written.count), as: UTF8.self)) : ""
    if let start = messageStart {
      // Where the pieces were another text than the whole, no place of the whole is in them.
      let isWhole = isLonger || written.elementsEqual(whole.utf8)
      citations += sources.map { isWhole ? $0.moved(by: start) : $0.withoutPlace }
    }
    messageStart = nil
    marks = CitationMarks()
    raw = ""
    return piece
  }

  /// The length of a message in bytes up to which places of sources are looked up before the message is complete.
  private static let searchedBytes = 64 << 10

  private mutating func keep(_ delta: String) {
    guard let length = raw?.utf8.count else { return }
    if length + delta.utf8.count <= Self.searchedBytes { raw?.append(delta) } else { raw = nil }
  }

  /// The source that an event names before the message is complete, with a place in the text so far. Nil for another
  /// event, and beyond ``ChappieJSONValue/citationLimit``. ``citations`` has what counts in the end.
  mutating func source(of event: ResponseEvent) -> ChappieCitation? {
    guard case .annotation(let annotation) = event, announced < ChappieJSONValue.citationLimit else { return nil }
    announced += 1
    guard let start = messageStart, let raw else { return annotation.citation(inUnfinished: "") }
    guard let citation = annotation.citation(inUnfinished: raw)?.moved(by: start) else { return nil }
    // The beginning of a mark is held back.
    return citation.range.map { $0.upperBound <= position } ?? true ? citation : citation.withoutPlace
  }
}

extension ResponseEvent {
  /// Whether the event brings text, an item or an end, and not only data beside the answer.
  fileprivate var isPartOfAnswer: Bool {
    switch self {
    case .textDelta, .refusalDelta, .searching, .annotation, .itemDone, .completed, .failed, .incomplete, .foreign: true
    case .created, .turnState, .rateLimits, .refused, .other: false
    }
  }
}

/// Receives the answer to a request piece by piece.
@GLibActor
protocol ResponseReader: AnyObject {
  /// Receives the header fields of the answer.
  func take(_ headers: HTTPHeaders) -> FlowControl
  /// Discards events until the backend announces the start of this answer: the socket has carried earlier answers.
  func expectBeginning()
  /// Receives the data of one event.
  func take(_ data: borrowing Span<UInt8>) -> FlowControl
  /// Counts bytes of the stream, inside and between events.
  ///
  /// - Parameter part: the number of buffered bytes of an incomplete event.
  func count(_ bytes: Int, part: Int) -> FlowControl
  /// The answer, after the end of its stream.
  ///
  /// - Throws: ``ExchangeFailure``.
  func answer() throws -> BackendAnswer
}

/// The backend's answer to one request, without the text.
struct BackendAnswer {
  /// The model's output items, in order and unchanged.
  let items: [ChappieJSONValue]
  /// Whether the model refuses to answer.
  let isRefusal: Bool
  /// The sources that the answer names, with places in the text of the turn.
  let citations: [ChappieCitation]
  /// The number of searches of the web that have not failed.
  let searches: Int
  let responseID: String
  let usage: ChappieTokenUsage
}

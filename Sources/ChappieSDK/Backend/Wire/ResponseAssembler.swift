/// Puts an answer together from its events.
///
/// After a reconnect the backend answers from the start. What was said before is then expected to come again, and
/// passed over.
struct ResponseAssembler {
  enum Outcome {
    /// The stream has not said how it ends.
    case open
    case completed(id: String, usage: ChappieTokenUsage)
    case failed(ExchangeFailure)
  }

  /// What was said so far, with all that ``take(_:)`` has returned; messages are paragraphs of it.
  private let text: AnswerText
  /// How many bytes of the answer have come in this attempt.
  private var position = 0
  /// Whether the model says in it that it does not answer.
  private(set) var isRefusal = false
  /// What the model made, in order.
  private(set) var items: [ChappieJSONValue] = []
  private(set) var outcome = Outcome.open
  private var beginning: Beginning
  private var message = Message.open(start: 0)

  /// The message that is being written.
  private enum Message {
    /// Its text starts here.
    case open(start: Int)
    /// It is complete, and whatever comes is of another one.
    case complete
  }

  /// What is known of the answer's beginning.
  enum Beginning: Equatable {
    /// It must be told before anything else counts: what comes sooner is the end of another answer.
    case due
    /// It may be told.
    case optional
    /// It was told: the answer has this id.
    case told(id: String)
  }

  /// - Parameter text: holds what earlier attempts have brought of this answer.
  init(_ text: AnswerText, beginning: Beginning = .optional) {
    self.text = text
    self.beginning = beginning
  }

  /// The id that the answer began with; nil while none was told.
  var answerID: String? {
    if case .told(let id) = beginning { return id }
    return nil
  }

  /// Whether what comes now can be of this answer.
  var hasBegun: Bool { beginning != .due }

  /// Takes an event and returns the text that it adds, empty for none. It is to be appended before the next event.
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
      return add(delta)
    case .refusalDelta(let delta):
      isRefusal = true
      return add(delta)
    case .itemDone(let item):
      items.append(item)
      if item.isRefusal { isRefusal = true }
      return item.messageText.map { finishMessage($0) } ?? ""
    case .completed(let id, let usage):
      outcome = position < text.latestByteCount ? diverged : .completed(id: id, usage: usage)
    case .failed(let error):
      outcome = .failed(ExchangeFailure(event: error))
    case .incomplete(let reason):
      outcome = .failed(
        .final(.httpError(200, "The answer is incomplete (\(Redaction.message(reason ?? "no reason given"))).")))
    case .refused(let status, let retryAfter, let usage, let body):
      outcome = .failed(
        ExchangeFailure(BackendFailure(status: status, retryAfter: retryAfter, answer: body, usage: usage)))
    case .turnState, .rateLimits, .other:
      break
    }
    return ""
  }

  /// Adds what a message says, behind a gap where another message came before.
  private mutating func add(_ piece: String) -> String {
    guard case .complete = message, !piece.isEmpty else { return pass(piece) }
    let gap = position == 0 ? "" : AnswerText.gap
    message = .open(start: position + gap.utf8.count)
    return pass(gap + piece)
  }

  /// The part of the next piece that did not come in an earlier attempt.
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

  /// A message's whole text decides. What deltas did not bring of it is brought now.
  private mutating func finishMessage(_ whole: String) -> String {
    let start = if case .open(let start) = message { start } else { position }
    let written = text.latestBytes(from: start, count: position - start)
    defer { message = .complete }
    guard whole.utf8.count > written.count, whole.utf8.starts(with: written) else { return "" }
    return add(String(decoding: whole.utf8.dropFirst(written.count), as: UTF8.self))
  }
}

extension ResponseEvent {
  /// Whether it brings words, an item or an end, and not only news beside the answer.
  fileprivate var isPartOfAnswer: Bool {
    switch self {
    case .textDelta, .refusalDelta, .itemDone, .completed, .failed, .incomplete, .foreign: true
    case .created, .turnState, .rateLimits, .refused, .other: false
    }
  }
}

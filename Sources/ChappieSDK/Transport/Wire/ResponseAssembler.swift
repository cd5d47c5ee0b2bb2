import GLibBridge

/// Puts an answer together from its events.
struct ResponseAssembler {
  enum Outcome {
    /// The stream has not said how it ends.
    case open
    case completed(id: String, usage: ChappieTokenUsage)
    case failed(ExchangeFailure)
  }

  private(set) var text = ""
  /// What the model made, in order.
  private(set) var items: [JSON] = []
  private(set) var outcome = Outcome.open
  private var beginning: Beginning
  /// Where the text of the message that is being written starts.
  private var messageStart = 0

  /// What is known of the answer's beginning.
  enum Beginning: Equatable {
    /// It must be told before anything else counts: what comes sooner is the end of another answer.
    case due
    /// It may be told.
    case optional
    /// It was told: the answer has this id.
    case told(id: String)
  }

  init(beginning: Beginning = .optional) {
    self.beginning = beginning
  }

  /// The id that the answer began with; nil while none was told.
  var answerID: String? {
    if case .told(let id) = beginning { return id }
    return nil
  }

  /// Whether what comes now can be of this answer.
  var hasBegun: Bool { beginning != .due }

  /// How long ``text`` is.
  var byteCount: Int { text.utf8.count }

  /// Takes an event and returns the text that it adds, empty for none.
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
      text += delta
      return delta
    case .itemDone(let item):
      items.append(item)
      return item.messageText.map { finishMessage($0) } ?? ""
    case .completed(let id, let usage):
      outcome = .completed(id: id, usage: usage)
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

  /// A message's whole text decides. What deltas did not bring of it is brought now.
  private mutating func finishMessage(_ whole: String) -> String {
    let bytes = text.utf8
    let written = bytes.suffix(from: bytes.index(bytes.startIndex, offsetBy: messageStart))
    defer { messageStart = text.utf8.count }
    guard whole.utf8.count > written.count, whole.utf8.starts(with: written) else { return "" }
    let rest = String(decoding: whole.utf8.dropFirst(written.count), as: UTF8.self)
    text += rest
    return rest
  }
}

extension ResponseEvent {
  /// Whether it brings words, an item or an end, and not only news beside the answer.
  fileprivate var isPartOfAnswer: Bool {
    switch self {
    case .textDelta, .itemDone, .completed, .failed, .incomplete, .foreign: true
    case .created, .turnState, .rateLimits, .refused, .other: false
    }
  }
}

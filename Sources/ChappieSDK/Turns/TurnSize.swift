import GLibBridge

/// Adds up what a turn holds in memory, and ends it when that is too much.
@GLibActor
final class TurnSize {
  /// Gets what the turn holds, in bytes, before it is more than it got before. It throws when there is no room.
  typealias Hold = @GLibActor (Int) throws(ChappieClientError) -> Void

  /// How much is asked for ahead, so that few deltas ask.
  private static let step = 256 << 10
  /// The text of an answer is kept once. At its end it is in a value and in the message that is made of it as well.
  private static let textCopies = 3
  /// A request is there as what it is made of, as JSON, and compressed.
  private static let requestCopies = 3
  /// What is read on grows by being copied to where there is more room.
  private static let bufferCopies = 3

  private let hold: Hold
  private var request = 0
  /// Of this answer, as the memory that they take.
  private var items = 0
  /// As the backend sent them, over all rounds.
  private var itemBytes = 0
  private var itemCount = 0
  private var calls = 0
  /// Up to how much text of the answer nothing needs to be asked.
  private var grantedText = 0
  private var grantedBuffer = 0

  init(_ hold: @escaping Hold) {
    self.hold = hold
  }

  /// Counts a request before it is sent: the whole of it, with what came of the rounds before.
  func ask(_ request: TurnRequest) throws(ChappieClientError) {
    let size = request.footprint
    guard size <= TurnLimits.requestBytes, request.input.count <= TurnLimits.conversationItems else {
      throw .limitExceeded(
        "The conversation has more than \(TurnLimits.requestBytes >> 20) MiB or \(TurnLimits.conversationItems) "
          + "messages: compact or clear it, or send less.")
    }
    self.request = size
    items = 0
    calls = 0
    try hold(total)
  }

  /// Counts what a tool said before the next request is made of it.
  func add(toolOutput bytes: Int) throws(ChappieClientError) {
    items += bytes
    guard request + items <= TurnLimits.requestBytes else {
      throw .limitExceeded("The tools said more than a conversation may have: ask for less at a time.")
    }
    try hold(total)
  }

  /// Counts the text of the answer, over all rounds: so many bytes by now.
  func grow(text bytes: Int) throws(ChappieClientError) {
    if bytes > grantedText { try grantText(bytes) }
  }

  private func grantText(_ bytes: Int) throws(ChappieClientError) {
    guard bytes <= TurnLimits.answerBytes else {
      throw .limitExceeded(
        "The answer has more than \(TurnLimits.answerBytes >> 20) MiB: ask for less at a time.")
    }
    grantedText = min(bytes + Self.step, TurnLimits.answerBytes)
    try hold(total)
  }

  /// Counts an item of the answer that came as so many bytes.
  func add(_ item: ChappieJSONValue, bytes: Int) throws(ChappieClientError) {
    itemBytes += bytes
    itemCount += 1
    if let type = item["type"]?.stringValue, type == "function_call" || type == "custom_tool_call" { calls += 1 }
    guard calls <= TurnLimits.calls else {
      throw .limitExceeded("The model called more than \(TurnLimits.calls) tools at once: ask for less at a time.")
    }
    guard itemCount <= TurnLimits.items, itemBytes <= TurnLimits.itemBytes else {
      throw .limitExceeded(
        "The answer has more than \(TurnLimits.items) parts or \(TurnLimits.itemBytes >> 20) MiB: "
          + "ask for less at a time.")
    }
    items += item.footprint
    try hold(total)
  }

  /// Counts what has come of an event that is not complete.
  func buffer(_ bytes: Int) throws(ChappieClientError) {
    guard bytes > grantedBuffer else { return }
    grantedBuffer = bytes + Self.step
    try hold(total)
  }

  private var total: Int {
    request * Self.requestCopies + items + grantedText * Self.textCopies
      + grantedBuffer * Self.bufferCopies
  }
}

extension TurnRequest {
  /// About how many bytes of memory it takes.
  var footprint: Int {
    input.reduce(1024 + instructions.utf8.count + ChappieJSONValue.array(tools).footprint) { $0 + $1.footprint }
  }
}

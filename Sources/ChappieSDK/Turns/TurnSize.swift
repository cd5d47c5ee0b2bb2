// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Adds up the memory that a turn holds, and ends the turn when it is too much.
@GLibActor
final class TurnSize {
  /// Reserves memory for the turn, in bytes in total, before the turn grows beyond its last reservation. It throws if
  /// there is no room.
  typealias Hold = @GLibActor (Int) throws(ChappieClientError) -> Void

  /// The bytes to reserve ahead, so that few deltas cause a reservation.
  private static let step = 64 << 10
  /// The most copies of the answer's text, which are there at its end: the text, which the response shares, the
  /// caller's own, and the value and the message that it may make of it.
  private static let textCopies = 4
  /// The most copies of a request: its items, its JSON text and the compressed text.
  private static let requestCopies = 3
  /// The memory of a growing read buffer, as a multiple of its content: the buffer, and a new one of twice its size.
  private static let bufferCopies = 3

  private let hold: Hold
  /// The approximate size of the request, in bytes.
  private var request = 0
  /// The size of the files in the request.
  private var inline = 0
  /// The size of the files, which are held also when the model gets their text.
  private var files = 0
  /// The size of the text and pictures of files, before they are in a request.
  private var contents = 0
  /// The memory of this answer's items and of its tools' outputs, in bytes.
  private var items = 0
  /// The items' bytes as the backend sent them, over all rounds.
  private var itemBytes = 0
  private var itemCount = 0
  private var calls = 0
  /// The bytes of text that are reserved already.
  private var grantedText = 0
  private var grantedBuffer = 0

  init(_ hold: @escaping Hold) {
    self.hold = hold
  }

  /// Counts a whole request before it is sent, including the output of earlier rounds.
  func ask(_ request: TurnRequest) throws(ChappieClientError) {
    let size = request.footprint
    let sent = request.input.flatMap(\.files)
    try ChappieInputFile.check(sent.reduce(0) { $0 + $1.byteCount })
    let fileSize = sent.reduce(0) { $0 + $1.url.utf8.count }
    guard size - fileSize <= TurnLimits.requestBytes,
      request.input.count <= TurnLimits.conversationItems
    else {
      throw .limitExceeded(
        en(
          """
          The conversation has more than \(TurnLimits.requestBytes >> 20) MiB or \(TurnLimits.conversationItems) \
          messages: compact or clear it, or send less.
          """))
    }
    self.request = size
    inline = fileSize
    files = max(files, fileSize)
    contents = 0
    items = 0
    calls = 0
    try hold(total)
  }

  /// Counts the text and the pictures of a file before they are in a request.
  func add(content bytes: Int) throws(ChappieClientError) {
    contents += bytes
    try hold(total)
  }

  /// Counts a tool's output before the next request includes it.
  func add(toolOutput bytes: Int) throws(ChappieClientError) {
    items += bytes
    guard request - inline + items <= TurnLimits.requestBytes else {
      throw .limitExceeded("The tools said more than a conversation may have: ask for less at a time.")
    }
    try hold(total)
  }

  /// Counts the text of the answer: `bytes` is its size so far, over all rounds.
  func grow(text bytes: Int) throws(ChappieClientError) {
    guard bytes > grantedText else { return }
    guard bytes <= TurnLimits.answerBytes else {
      throw .limitExceeded(
        en("The answer has more than \(TurnLimits.answerBytes >> 20) MiB: ask for less at a time."))
    }
    grantedText = min(bytes + Self.step, TurnLimits.answerBytes)
    try hold(total)
  }

  /// Counts an item of the answer; `bytes` is its size as the backend sent it.
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

  /// Counts the bytes of an event that is not complete yet.
  func buffer(_ bytes: Int) throws(ChappieClientError) {
    guard bytes > grantedBuffer else { return }
    grantedBuffer = bytes + Self.step
    try hold(total)
  }

  private var total: Int {
    request * Self.requestCopies + files - inline + contents + items + grantedText * Self.textCopies
      + grantedBuffer * Self.bufferCopies
  }
}

/// Ends an answer that goes on without an end. A stream that adds nothing to the answer takes no memory, and no other
/// bound would end it.
struct StreamBound {
  private let end: ContinuousClock.Instant
  private var rest = TurnLimits.streamBytes

  init(start: ContinuousClock.Instant = .now) {
    end = start + TurnLimits.streamTime
  }

  /// Counts the next bytes of the stream.
  mutating func take(_ bytes: Int, at time: ContinuousClock.Instant = .now) throws(ChappieClientError) {
    rest -= bytes
    guard rest >= 0 else {
      throw .limitExceeded("The backend sent more than \(TurnLimits.streamBytes >> 20) MiB for one answer.")
    }
    guard time <= end else {
      throw .limitExceeded(
        en("The answer was not complete after \(TurnLimits.streamTime.components.seconds / 60) minutes."))
    }
  }
}

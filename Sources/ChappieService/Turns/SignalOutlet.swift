// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Sends a turn's events as signals on the bus.
@GLibActor
final class SignalOutlet: TurnOutlet {
  private let turn: TurnKey
  private let isBroadcast: Bool
  private let isStreamed: Bool
  private let signals: InterfaceSignals
  private let window: SendWindow
  private let answer: AnswerText
  private lazy var coalescer = DeltaCoalescer(answer) { [unowned self] offset, text in
    emit("TextDelta", .tuple([turn.id.variant, UInt64(offset).variant, Variant(text)]), bytes: text.utf8.count)
  }

  init(_ place: TurnPlace, _ signals: InterfaceSignals, _ window: SendWindow) {
    turn = place.key
    isBroadcast = place.options.broadcast
    isStreamed = place.delivery != .reply || isBroadcast
    answer = place.answer
    self.signals = signals
    self.window = window
  }

  var flow: FlowControl { window.flow }

  func grew() {
    if isStreamed { coalescer.grew() }
  }

  func send(_ event: TurnEvent) {
    guard isStreamed || event.kind == .tool else { return }
    if isStreamed { coalescer.flush() }
    let members = event.texts.map(\.value.variant) + [event.details?.variant].compactMap(\.self)
    let arguments = Variant.tuple([turn.id.variant] + members)
    emit(event.signal, arguments, bytes: arguments.byteCount)
  }

  private func emit(_ signal: String, _ arguments: Variant, bytes: Int) {
    // A broadcast has no directed copy for the caller: a caller that listens would get the signal twice.
    signals.emit(signal, arguments, to: isBroadcast ? .everyone : .only([turn.caller]))
    window.sent(bytes)
  }

  func flush() async {
    await window.flush()
  }
}

/// Joins deltas of an answer that arrive close together, so that a burst does not flood the bus.
///
/// The first delta is sent at once, then at most one signal per interval. At a model's usual pace, no deltas are
/// joined.
@GLibActor
final class DeltaCoalescer {
  static let interval = Duration.milliseconds(2)
  /// The pending bytes at which a signal is sent before the interval ends.
  static let sizeLimit = 64 << 10

  private let answer: AnswerText
  private let emit: @GLibActor (_ offset: Int, _ text: Substring) -> Void
  /// The length of the sent part of the answer, in bytes.
  private var sentBytes = 0
  private var lastSent: ContinuousClock.Instant?
  private var timer: Timer?

  /// - Parameters:
  ///   - answer: the growing answer.
  ///   - emit: sends text at an offset in bytes. It must not keep the text, or the answer is copied when it grows.
  init(_ answer: AnswerText, emit: @escaping @GLibActor (_ offset: Int, _ text: Substring) -> Void) {
    self.answer = answer
    self.emit = emit
  }

  private var pendingBytes: Int { answer.byteCount - sentBytes }

  /// Sends the new text of the answer, at once or after the interval.
  func grew() {
    guard timer == nil || pendingBytes >= Self.sizeLimit else { return }
    let rest = lastSent.map { $0 + Self.interval - .now } ?? .zero
    if rest <= .zero || pendingBytes >= Self.sizeLimit {
      flush()
    } else {
      // The cycle of references ends when the timer fires, or with the last delta.
      timer = Timer(after: rest) { self.flush() }
    }
  }

  /// Sends all pending text.
  func flush() {
    timer?.cancel()
    timer = nil
    guard pendingBytes > 0 else { return }
    let offset = sentBytes
    sentBytes = answer.byteCount
    emit(offset, answer.suffix(from: offset))
    lastSent = .now
  }
}

/// Flow control for messages to the bus, since the send queue of GDBus has no limit of its own.
@GLibActor
final class SendWindow {
  /// The queued bytes of all turns together at which turns pause. Text of a paused turn stays in the WebSocket, where
  /// it takes several times as much memory.
  static let limit = 4 << 20
  /// The bytes that a message takes beside its content: two copies of its header, and its place in the queue.
  static let messageOverhead = 2 << 10

  private enum State {
    case open(bytes: Int)
    case draining(Task<Void, Never>)
  }

  /// Waits until all sent messages have left this process.
  let flush: @GLibActor () async -> Void
  private var state = State.open(bytes: 0)

  init(flush: @escaping @GLibActor () async -> Void) {
    self.flush = flush
  }

  /// Whether turns may produce more. All turns pause together, because they share the window.
  var flow: FlowControl {
    switch state {
    case .open: .proceed
    case .draining(let task): .pause(until: task)
    }
  }

  /// Counts a message that was given to GDBus.
  ///
  /// - Parameter bytes: the size of its content.
  func sent(_ bytes: Int) {
    guard case .open(let before) = state else { return }
    let sum = before + bytes + Self.messageOverhead
    guard sum >= Self.limit else {
      state = .open(bytes: sum)
      return
    }
    state = .draining(
      Task.onGLib {
        await flush()
        state = .open(bytes: 0)
      })
  }
}

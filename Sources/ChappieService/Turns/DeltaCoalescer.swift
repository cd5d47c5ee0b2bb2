// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

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

import ChappieSDK
import GLibBridge

/// Joins the pieces of an answer that come close together, so that a burst does not flood the bus.
///
/// The first piece goes at once, then at most one signal goes out per interval. A model's usual pace passes
/// untouched.
@GLibActor
final class DeltaCoalescer {
  static let interval = Duration.milliseconds(2)
  /// What waits goes out early when it has this many bytes.
  static let sizeLimit = 64 << 10

  private let answer: AnswerText
  private let emit: @GLibActor (_ offset: Int, _ text: Substring) -> Void
  /// How many bytes of the answer were sent.
  private var sentBytes = 0
  private var lastSent: ContinuousClock.Instant?
  private var timer: Timer?

  /// - Parameters:
  ///   - answer: what is sent, as it grows.
  ///   - emit: sends a piece. It must not keep it: the answer would be copied to grow.
  init(_ answer: AnswerText, emit: @escaping @GLibActor (_ offset: Int, _ text: Substring) -> Void) {
    self.answer = answer
    self.emit = emit
  }

  private var pendingBytes: Int { answer.byteCount - sentBytes }

  /// The answer has grown.
  func grew() {
    guard timer == nil || pendingBytes >= Self.sizeLimit else { return }
    let rest = lastSent.map { $0 + Self.interval - .now } ?? .zero
    if rest <= .zero || pendingBytes >= Self.sizeLimit {
      flush()
    } else {
      // It is let go when it fires, and no later than with the last piece.
      timer = Timer(after: rest) { self.flush() }
    }
  }

  /// Sends what waits.
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

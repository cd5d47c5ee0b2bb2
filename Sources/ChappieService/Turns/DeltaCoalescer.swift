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

  private let emit: @GLibActor (_ offset: Int, _ text: String) -> Void
  /// What waits.
  private(set) var pending = ""
  private var sentBytes = 0
  private var lastSent: ContinuousClock.Instant?
  private var timer: Timer?

  init(emit: @escaping @GLibActor (_ offset: Int, _ text: String) -> Void) {
    self.emit = emit
  }

  func add(_ text: String) {
    pending += text
    guard timer == nil || pending.utf8.count >= Self.sizeLimit else { return }
    let rest = lastSent.map { $0 + Self.interval - .now } ?? .zero
    if rest <= .zero || pending.utf8.count >= Self.sizeLimit {
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
    guard !pending.isEmpty else { return }
    let text = pending
    pending = ""
    emit(sentBytes, text)
    sentBytes += text.utf8.count
    lastSent = .now
  }
}

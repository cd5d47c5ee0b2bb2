/// Calls an action once something has been silent for too long.
///
/// One timer, moved forward when it fires: a timer for each sign of life would cost more than what is watched.
@GLibActor
final class InactivityTimer {
  private let deadline: Duration
  private let action: @GLibActor () -> Void
  private var lastSign = ContinuousClock.now
  private var timer: Timer?

  init(_ deadline: Duration, _ action: @escaping @GLibActor () -> Void) {
    self.deadline = deadline
    self.action = action
    arm(after: deadline)
  }

  /// Notes a sign of life; returns the time since the one before.
  @discardableResult
  func touch() -> Duration {
    let now = ContinuousClock.now
    defer { lastSign = now }
    return now - lastSign
  }

  func cancel() {
    timer?.cancel()
    timer = nil
  }

  private func arm(after delay: Duration) {
    timer = Timer(after: delay) { [weak self] in
      guard let self else { return }
      let rest = lastSign + deadline - .now
      if rest > .zero { arm(after: rest) } else { action() }
    }
  }
}

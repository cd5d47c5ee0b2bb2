/// Calls an action after a period without activity.
///
/// It uses one timer and re-arms it when it fires. Re-arming at each activity would cost more than the activity itself.
@GLibActor
final class InactivityTimer {
  private let deadline: Duration
  private let action: @GLibActor () -> Void
  private var lastActivity = ContinuousClock.now
  private var timer: Timer?

  init(_ deadline: Duration, _ action: @escaping @GLibActor () -> Void) {
    self.deadline = deadline
    self.action = action
    arm(after: deadline)
  }

  /// Records activity.
  ///
  /// - Returns: the time since the previous activity.
  @discardableResult
  func touch() -> Duration {
    let now = ContinuousClock.now
    defer { lastActivity = now }
    return now - lastActivity
  }

  func cancel() {
    timer?.cancel()
    timer = nil
  }

  private func arm(after delay: Duration) {
    timer = Timer(after: delay) { [weak self] in
      guard let self else { return }
      let rest = lastActivity + deadline - .now
      if rest > .zero { arm(after: rest) } else { action() }
    }
  }
}

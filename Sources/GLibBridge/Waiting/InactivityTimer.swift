import CGLib

/// Calls an action after a period without activity. It keeps itself alive until it is cancelled or has called.
///
/// It uses one timer and re-arms it when it fires. Re-arming at each activity would cost more than the activity itself.
@GLibActor
final class InactivityTimer {
  /// In microseconds of GLib's clock, which is read for each message: `ContinuousClock` costs several times as much.
  private let deadline: gint64
  private let action: @GLibActor () -> Void
  private var lastActivity = g_get_monotonic_time()
  private var timer: Timer?

  init(_ deadline: Duration, _ action: @escaping @GLibActor () -> Void) {
    self.deadline = gint64(deadline.wholeMilliseconds) * 1000
    self.action = action
    arm(after: deadline)
  }

  /// Records activity.
  ///
  /// - Returns: the time since the previous activity, in microseconds.
  @discardableResult
  func touch() -> Int64 {
    let now = g_get_monotonic_time()
    defer { lastActivity = now }
    return Int64(now - lastActivity)
  }

  func cancel() {
    timer?.cancel()
    timer = nil
  }

  private func arm(after delay: Duration) {
    // Not weak: each reference to an object with weak ones is counted in a table beside it.
    timer = Timer(after: delay) { [self] in
      timer = nil
      let rest = lastActivity + deadline - g_get_monotonic_time()
      if rest > 0 { arm(after: .microseconds(rest)) } else { action() }
    }
  }
}

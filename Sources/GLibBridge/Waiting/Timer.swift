import CGLib

/// A one-shot timer on the actor's main context. Releasing it cancels it.
@GLibActor
public final class Timer {
  private var source: AttachedSource?

  /// Starts a timer that calls `action` once, after `delay`.
  public init(after delay: Duration, _ action: @escaping @GLibActor () -> Void) {
    source = AttachedSource(owning: g_timeout_source_new(delay.wholeMilliseconds), AttachedSource.once, action)
  }

  public func cancel() {
    _ = source.take()
  }

  isolated deinit {
    cancel()
  }
}

extension Duration {
  /// This duration in whole milliseconds, rounded up, for GLib's timers; 0 for a negative duration.
  package var wholeMilliseconds: UInt32 {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    let milliseconds = min(seconds, Int64(UInt32.max)) * 1000
    return UInt32(clamping: milliseconds + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}

/// Suspends the task for `delay`, with a timer on the actor's own main context.
///
/// - Throws: `CancellationError`, at once when the task is cancelled.
@GLibActor
public func sleep(for delay: Duration) async throws {
  try Task.checkCancellation()
  let wait = Wait()
  let timer = Timer(after: delay) { wait.finish() }
  await wait.valueOrCancelled()
  timer.cancel()
  try Task.checkCancellation()
}

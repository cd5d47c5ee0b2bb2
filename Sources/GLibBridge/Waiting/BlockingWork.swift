import CGLib

/// Runs `work`, which may block, on a thread of its own.
///
/// - Returns: what `work` returns; nil when that takes longer than `deadline`. The thread then ends when the work does.
@GLibActor
public func offActor<Result: Sendable>(
  deadline: Duration, _ work: @escaping @Sendable () -> Result
) async -> Result? {
  let outcome = Outcome<Result>()
  let thread = startThread {
    let value = work()
    Task.onGLib { outcome.set(value) }
  }
  g_thread_unref(thread)
  let timer = Timer(after: deadline) { outcome.wait.finish() }
  await outcome.wait.value()
  timer.cancel()
  return outcome.value
}

/// The caller joins the thread, or lets go of it.
func startThread(_ body: @escaping @Sendable () -> Void) -> UnsafeMutablePointer<GThread>? {
  g_thread_new(
    "chappie-work",
    { data in
      CallbackBox<@Sendable () -> Void>.consume(data).closure()
      return nil
    }, CallbackBox(body).retained)
}

/// Runs `work`, which may block, on a thread of its own, and waits as long as it takes.
@GLibActor
public func offActor<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    g_thread_unref(startThread { continuation.resume(returning: work()) })
  }
}

@GLibActor
private final class Outcome<Value: Sendable> {
  let wait = Wait()
  private(set) var value: Value?

  func set(_ value: Value) {
    self.value = value
    wait.finish()
  }
}

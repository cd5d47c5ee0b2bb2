import CGLib

/// Runs blocking work on a new thread, off the actor.
///
/// - Returns: the result of `work`; nil when it takes longer than `deadline`. The thread then ends after `work` does.
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

/// Starts a thread. The caller joins the thread or releases the reference to it.
func startThread(_ body: @escaping @Sendable () -> Void) -> UnsafeMutablePointer<GThread>? {
  g_thread_new(
    "chappie-work",
    { data in
      CallbackBox<@Sendable () -> Void>.consume(data).closure()
      return nil
    }, CallbackBox(body).retained)
}

/// Runs blocking work on a new thread, off the actor, and waits for its result without a deadline.
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

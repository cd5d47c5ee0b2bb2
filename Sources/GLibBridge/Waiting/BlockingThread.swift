import CGLib

extension GLibActor {
  /// What holding up a thread came to.
  public enum BlockingOutcome<Value: Sendable>: Sendable {
    /// It ended in time.
    case completed(Value)
    /// It goes on, and nobody waits for it any more.
    case timedOut
    /// The thread is the actor's own: waiting on it would wait for ever. It is under way.
    case onActorThread
  }

  /// Runs `body` on the actor and holds up the calling thread until it has ended, for callers that cannot `await`.
  ///
  /// The actor's own thread is not held up, and no thread of Swift's pool is needed, so that this ends in time also
  /// where each of them is held up.
  public static func block<Value: Sendable>(
    atMost deadline: Duration, _ body: @escaping @GLibActor @Sendable () async -> Value
  ) -> BlockingOutcome<Value> {
    let answer = ThreadWait<Value>()
    Task.onGLib { answer.end(await body()) }
    guard !shared.executor.isCurrent else { return .onActorThread }
    return answer.value(atMost: deadline).map { .completed($0) } ?? .timedOut
  }
}

/// A value that another thread brings, for a thread that stands still until then.
private final class ThreadWait<Value: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<GMutex>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<GCond>.allocate(capacity: 1)
  /// Read and written with `mutex` locked.
  private var value: Value?

  init() {
    mutex.initialize(to: GMutex())
    condition.initialize(to: GCond())
    g_mutex_init(mutex)
    g_cond_init(condition)
  }

  func end(_ value: Value) {
    g_mutex_lock(mutex)
    self.value = value
    g_cond_signal(condition)
    g_mutex_unlock(mutex)
  }

  /// Nil when there is none in time.
  func value(atMost deadline: Duration) -> Value? {
    let end = g_get_monotonic_time() + gint64(deadline.wholeMilliseconds) * 1000
    g_mutex_lock(mutex)
    defer { g_mutex_unlock(mutex) }
    // A condition may be signalled without a cause.
    while value == nil {
      guard g_cond_wait_until(condition, mutex, end) != 0 else { break }
    }
    return value
  }

  deinit {
    g_mutex_clear(mutex)
    g_cond_clear(condition)
    mutex.deallocate()
    condition.deallocate()
  }
}

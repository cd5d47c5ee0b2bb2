// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Runs blocking work on a new thread, off the actor.
///
/// - Returns: the result of `work`; nil when it takes longer than `deadline`. The thread then ends after `work` does.
@GLibActor
public func offActor<Result: Sendable>(
  deadline: Duration, _ work: @escaping @Sendable () -> Result
) async -> Result? {
  // In a task of its own: the caller learns the result even when it is cancelled meanwhile.
  await Task.onGLib { try? await withDeadline(deadline) { await offActor(work) } }.value
}

/// Starts a thread. The caller releases the reference to it.
private func startThread(_ body: @escaping @Sendable () -> Void) -> UnsafeMutablePointer<GThread>? {
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

extension GLibActor {
  /// The outcome of blocking a thread.
  public enum BlockingOutcome<Value: Sendable>: Sendable {
    /// The work completed before the deadline.
    case completed(Value)
    /// The work still runs, but the thread no longer waits for it.
    case timedOut
    /// The caller is on the actor's thread and cannot wait for it. The work has been started.
    case onActorThread
  }

  /// Runs `body` on the actor and blocks the calling thread until it completes. For callers that cannot `await`.
  ///
  /// `body` runs on the actor's own thread and needs none of Swift's thread pool, so this works even when all pool
  /// threads are blocked.
  ///
  /// - Parameter deadline: the longest wait.
  public static func block<Value: Sendable>(
    atMost deadline: Duration, _ body: @escaping @GLibActor @Sendable () async -> Value
  ) -> BlockingOutcome<Value> {
    let answer = ThreadWait<Value>()
    Task.onGLib { answer.end(await body()) }
    guard !shared.executor.isCurrent else { return .onActorThread }
    return answer.value(atMost: deadline).map { .completed($0) } ?? .timedOut
  }
}

/// A value that one thread provides and another one blocks for.
private final class ThreadWait<Value: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<GMutex>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<GCond>.allocate(capacity: 1)
  /// Protected by `mutex`.
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

  /// Blocks until there is a value; nil after the deadline.
  func value(atMost deadline: Duration) -> Value? {
    let end = g_get_monotonic_time() + gint64(deadline.wholeMilliseconds) * 1000
    g_mutex_lock(mutex)
    defer { g_mutex_unlock(mutex) }
    // A condition variable may wake up spuriously.
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

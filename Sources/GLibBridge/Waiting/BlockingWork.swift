// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

/// GLib ends the process if the system, or the unit's `TasksMax`, has no room for one more thread.
@GLibActor private let working = Semaphore(32)

/// Runs blocking work on a new thread, off the actor. At most 32 pieces of work run at once, so none may depend on another
/// program: that is for ``onNewThread(_:)``.
///
/// - Returns: the result of `work`; nil when it takes longer than `deadline`. The thread then ends after `work` does.
@GLibActor
public func offActor<Result: Sendable>(
  deadline: Duration, _ work: @escaping @Sendable () -> Result
) async -> Result? {
  // In a task of its own: the caller learns the result even when it is cancelled meanwhile.
  await Task.onGLib {
    try? await withDeadline(deadline) {
      try await working.withPermit {
        try Task.checkCancellation()
        return await onNewThread(work)
      }
    }
  }.value
}

/// Runs blocking work on a new thread, off the actor, as ``offActor(deadline:_:)``, and waits for its result.
@GLibActor
public func offActor<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await working.withPermit { await onNewThread(work) }
}

/// Runs work on a new thread, off the actor, that may never end. The caller bounds it.
@GLibActor
package func onNewThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    let body: @Sendable () -> Void = { continuation.resume(returning: work()) }
    let thread = g_thread_new(
      "chappie-work",
      // Sendable, so that it is not isolated to the actor.
      { @Sendable data in
        CallbackBox<@Sendable () -> Void>.consume(data).closure()
        return nil
      }, CallbackBox(body).retained)
    g_thread_unref(thread)
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
  /// Thread-safe.
  private let queue = g_async_queue_new_full(CallbackBox<Value>.release)

  func end(_ value: Value) {
    g_async_queue_push(queue, CallbackBox(value).retained)
  }

  /// Blocks until there is a value; nil after the deadline.
  func value(atMost deadline: Duration) -> Value? {
    g_async_queue_timeout_pop(queue, guint64(deadline.wholeMilliseconds) * 1000).map {
      CallbackBox<Value>.consume($0).closure
    }
  }

  deinit {
    g_async_queue_unref(queue)
  }
}

extension MemoryHardening {
  /// Returns unused heap memory to the system after a second, off the actor. Call it after many small blocks were
  /// freed. Calls within that second are combined.
  @GLibActor
  public static func trimHeapSoon() {
    guard trimming == nil else { return }
    trimming = Timer(after: .seconds(1)) {
      trimming = nil
      Task.onGLib { await offActor { trimHeap() } }
    }
  }

  @GLibActor private static var trimming: Timer?
}

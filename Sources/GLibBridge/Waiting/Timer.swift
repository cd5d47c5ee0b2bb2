// SPDX-License-Identifier: Apache-2.0
import CGLib

/// A one-shot timer on the actor's main context. Releasing it cancels it.
@GLibActor
public final class Timer: SourceWatch {
  /// Starts a timer that calls `action` once, after `delay`.
  public init(after delay: Duration, _ action: @escaping @GLibActor () -> Void) {
    super.init(.timeout(delay.wholeMilliseconds), action)
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

/// Runs `operation` with a deadline. After the deadline, or when the task is cancelled, the operation is cancelled and
/// this call returns without waiting for its end.
///
/// - Throws: ``GLibError/timedOut`` after `limit`, `CancellationError`, and any error of `operation`.
@GLibActor
public func withDeadline<Value: Sendable>(
  _ limit: Duration, _ operation: @escaping @GLibActor @Sendable () async throws -> Value
) async throws -> Value {
  try Task.checkCancellation()
  let outcome = Promise<Result<Value, any Error>>()
  let task = Task.onGLib {
    do {
      outcome.fulfil(.success(try await operation()))
    } catch {
      outcome.fulfil(.failure(error))
    }
  }
  let timer = Timer(after: limit) { outcome.fulfil(.failure(GLibError.timedOut)) }
  defer {
    timer.cancel()
    task.cancel()
  }
  return try await outcome.value().get()
}

/// A mutex for asynchronous code. One task holds it at a time; waiting tasks get it in order of arrival, and a
/// cancelled task stops waiting at once.
@GLibActor
public final class AsyncMutex {
  private var tail: Task<Void, Never>?

  public nonisolated init() {}

  /// Runs `body` while holding the mutex.
  ///
  /// - Throws: any error of `body`; `CancellationError` when the task is cancelled while it waits.
  public func withLock<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await withLock(preparing: {}, body)
  }

  /// Runs `body` while holding the mutex, after `preparing`.
  ///
  /// - Parameter preparing: runs before the mutex is taken, but after the task has its place in the queue.
  /// - Throws: any error of `preparing` and `body`; `CancellationError` when the task is cancelled while it waits.
  public func withLock<Result: Sendable>(
    preparing: () async throws -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    let before = tail
    let done = Wait()
    tail = Task.onGLib {
      await before?.value
      await done.value()
    }
    defer { done.finish() }
    try await preparing()
    try await before?.untilEnded()
    return try await body()
  }
}

/// A mutex for work that waits: one task holds it at a time, in the order of arrival. A task that is cancelled leaves the
/// queue at once.
@GLibActor
public final class AsyncMutex {
  private var tail: Task<Void, Never>?

  public nonisolated init() {}

  /// Runs `body` while nobody else holds the mutex.
  ///
  /// - Throws: what `body` throws; `CancellationError` where the task is cancelled while it waits.
  public func withLock<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await withLock(preparing: {}, body)
  }

  /// - Parameter preparing: what need not wait for the mutex, and may fail at once.
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

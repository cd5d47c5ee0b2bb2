import GLibBridge

/// Lets one pass at a time, in the order of arrival. Who is cancelled leaves the queue at once.
@GLibActor
package final class Turnstile {
  private var tail: Task<Void, Never>?

  package nonisolated init() {}

  package func pass<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await pass(preparing: {}, body)
  }

  /// - Parameter preparing: what need not wait for those before, and may fail at once.
  package func pass<Result: Sendable>(
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

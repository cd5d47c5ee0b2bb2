import GLibBridge

/// Lets one pass at a time, in the order of arrival. Who is cancelled leaves the queue at once.
@GLibActor
package final class Turnstile {
  private var tail: Task<Void, Never>?

  package nonisolated init() {}

  package func pass<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    let before = tail
    let done = Wait()
    tail = Task.onGLib {
      await before?.value
      await done.value()
    }
    defer { done.finish() }
    try await before?.untilEnded()
    return try await body()
  }
}

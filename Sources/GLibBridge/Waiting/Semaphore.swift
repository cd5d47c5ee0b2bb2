/// A counting semaphore for tasks. Waiting tasks get permits in first-in, first-out order.
@GLibActor
public final class Semaphore {
  private var free: Int
  private var waiting: [Wait] = []

  public init(_ count: Int) {
    free = count
  }

  /// Waits for a permit and runs `body` with it. Cancelling the task does not end the wait.
  public func withPermit<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
    if free > 0 {
      free -= 1
    } else {
      let wait = Wait()
      waiting.append(wait)
      await wait.value()
    }
    // A released permit passes directly to the first waiting task, so that no later task can overtake it.
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().finish() } }
    return try await body()
  }
}

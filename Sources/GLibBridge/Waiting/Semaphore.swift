/// Lets a number of callers in at a time; the others wait in the order in which they came.
@GLibActor
public final class Semaphore {
  private var free: Int
  private var waiting: [Wait] = []

  public init(_ count: Int) {
    free = count
  }

  /// Runs `body` once there is a place for it.
  public func withPermit<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
    if free > 0 {
      free -= 1
    } else {
      let wait = Wait()
      waiting.append(wait)
      await wait.value()
    }
    // A place that is given up goes to the first that waits, and is not free in between.
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().finish() } }
    return try await body()
  }
}

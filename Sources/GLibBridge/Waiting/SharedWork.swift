/// Work whose result goes to all who ask for it while it is done. Those who ask later have it done again.
@GLibActor
package final class SharedWork<Value: Sendable> {
  private let work: @GLibActor @Sendable () async throws -> Value
  private var running: Task<Value, any Error>?

  package init(_ work: @escaping @GLibActor @Sendable () async throws -> Value) {
    self.work = work
  }

  /// - Throws: the work's error; `CancellationError` when the waiting task is cancelled, while the work goes on.
  package func value() async throws -> Value {
    let task = running ?? start()
    try await task.untilEnded()
    return try await task.value
  }

  private func start() -> Task<Value, any Error> {
    let task = Task.onGLib {
      defer { self.running = nil }
      return try await self.work()
    }
    running = task
    return task
  }
}

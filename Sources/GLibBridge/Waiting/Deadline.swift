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

/// Runs `operation` for at most `limit`. What runs longer, or belongs to a cancelled task, is cancelled and not waited
/// for: it may be somebody else's code.
///
/// - Throws: ``GLibError/timedOut``, `CancellationError`, what `operation` throws.
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

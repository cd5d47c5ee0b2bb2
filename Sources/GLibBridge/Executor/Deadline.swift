/// Runs `operation` for at most `limit`. What runs longer, or belongs to a cancelled task, is cancelled and not waited
/// for: it may be somebody else's code.
///
/// - Throws: ``GLibError/timedOut``, `CancellationError`, what `operation` throws.
@GLibActor
public func withDeadline<Result: Sendable>(
  _ limit: Duration, _ operation: @escaping @GLibActor @Sendable () async throws -> Result
) async throws -> Result {
  try Task.checkCancellation()
  let race = Race<Result>()
  let task = Task.onGLib {
    do {
      race.end(.success(try await operation()))
    } catch {
      race.end(.failure(error))
    }
  }
  let timer = Timer(after: limit) { race.end(.failure(GLibError.timedOut)) }
  defer {
    timer.cancel()
    task.cancel()
  }
  return try await withTaskCancellationHandler {
    try await race.value()
  } onCancel: {
    Task.onGLib { race.end(.failure(CancellationError())) }
  }
}

/// Whose end comes first counts.
@GLibActor
private final class Race<Value: Sendable> {
  private let wait = Wait()
  private var outcome: Result<Value, any Error>?

  func end(_ outcome: Result<Value, any Error>) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    wait.finish()
  }

  func value() async throws -> Value {
    await wait.value()
    guard let outcome else { preconditionFailure("a race ended without an outcome") }
    return try outcome.get()
  }
}

import CGLib

/// Calls one of GIO's asynchronous functions and waits for its result.
///
/// Cancelling the task cancels the `GCancellable` that `start` is given. A function that does not heed it within a
/// second is not waited for: libsecret waits for a prompt that its keyring has forgotten, for one.
/// - Parameters:
///   - deadline: after this long the call is cancelled and fails with ``GLibError/timedOut``.
///   - start: calls the function; must pass on the cancellable, the callback and the user data.
///   - finish: calls the matching `_finish`. What it returns must let go of itself, since nobody may wait for it
///     any more.
/// - Throws: ``GLibError``, or `CancellationError`.
@GLibActor
func asyncCall<Result>(
  deadline: Duration? = nil,
  _ start: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, UnsafeMutableRawPointer?) -> Void,
  finish: @escaping @GLibActor (OpaquePointer?, inout UnsafeMutablePointer<GError>?) -> Result
) async throws -> Result {
  let call = AsyncCall<Result>()
  let timer = deadline.map { Timer(after: $0) { call.expire() } }
  defer { timer?.cancel() }
  return try await withTaskCancellationHandler {
    try await call.run(start, finish: finish)
  } onCancel: {
    Task.onGLib { call.cancel() }
  }
}

/// One running asynchronous call.
@GLibActor
private final class AsyncCall<Result> {
  /// How long a function may take to heed that it was cancelled.
  private static var grace: Duration { .seconds(1) }

  private let cancellable = g_cancellable_new()
  private let ended = Wait()
  private var expired = false
  private var impatience: Timer?
  private var outcome: Swift.Result<Result, any Error>?

  func cancel() {
    g_cancellable_cancel(cancellable)
    impatience = Timer(after: Self.grace) { self.end(.failure(self.reason)) }
  }

  func expire() {
    expired = true
    cancel()
  }

  func run(
    _ start: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, UnsafeMutableRawPointer?) -> Void,
    finish: @escaping @GLibActor (OpaquePointer?, inout UnsafeMutablePointer<GError>?) -> Result
  ) async throws -> Result {
    if Task.isCancelled { cancel() }
    let box = CallbackBox<@GLibActor (OpaquePointer?) -> Void> { result in
      var error: UnsafeMutablePointer<GError>?
      let value = finish(result, &error)
      self.end(error.map { .failure(self.failure($0)) } ?? .success(value))
    }
    start(
      cancellable,
      { _, result, data in
        GLibActor.assumeIsolated {
          CallbackBox<@GLibActor (OpaquePointer?) -> Void>.consume(data).closure(result)
        }
      }, box.retained)
    await ended.value()
    guard let outcome else { preconditionFailure("an asynchronous call ended without an outcome") }
    return try outcome.get()
  }

  private func end(_ outcome: Swift.Result<Result, any Error>) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    impatience?.cancel()
    ended.finish()
  }

  private func failure(_ error: UnsafeMutablePointer<GError>) -> any Error {
    let error = GLibError(consuming: error)
    return error.isCancelled ? reason : error
  }

  /// Why the call was cancelled.
  private var reason: any Error { expired ? GLibError.timedOut : CancellationError() }

  isolated deinit {
    g_object_unref(cancellable)
  }
}

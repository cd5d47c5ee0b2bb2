// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Calls an asynchronous GIO function and waits for its result.
///
/// Cancelling the task cancels the `GCancellable` that `start` receives. If the function does not return within a
/// second after that, this call fails without it. For example, libsecret may wait forever for a prompt that the keyring
/// has lost.
/// - Parameters:
///   - deadline: the longest wait; after it the call is cancelled and fails with ``GLibError/timedOut``.
///   - start: calls the function with the cancellable, the callback and the user data.
///   - finish: calls the matching `_finish` function. Its result must release itself, because it may arrive after this
///     call has failed.
/// - Throws: ``GLibError``, `CancellationError`.
@GLibActor
@discardableResult
func asyncCall<Result>(
  deadline: Duration? = nil,
  _ start: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, UnsafeMutableRawPointer?) -> Void,
  finish: @escaping @GLibActor (OpaquePointer?, inout UnsafeMutablePointer<GError>?) -> Result?
) async throws -> Result {
  let call = AsyncCall<Result>()
  let timer = deadline.map { Timer(after: $0) { call.expire() } }
  defer { timer?.cancel() }
  return try await withTaskCancellationHandler {
    if Task.isCancelled { call.cancel() }
    let box = CallbackBox<@GLibActor (OpaquePointer?) -> Void> { result in
      call.end(Swift.Result { try checked { finish(result, &$0) } })
    }
    start(
      call.cancellable,
      { _, result, data in
        GLibActor.assumeIsolated {
          CallbackBox<@GLibActor (OpaquePointer?) -> Void>.consume(data).closure(result)
        }
      }, box.retained)
    return try await call.value()
  } onCancel: {
    Task.onGLib { call.cancel() }
  }
}

/// One running asynchronous call.
@GLibActor
private final class AsyncCall<Result> {
  /// The longest wait for a function that was cancelled.
  private static var grace: Duration { .seconds(1) }

  let cancellable = g_cancellable_new()
  private let ended = Wait()
  private var expired = false
  private var graceTimer: Timer?
  private var outcome: Swift.Result<Result, any Error>?

  func cancel() {
    g_cancellable_cancel(cancellable)
    graceTimer = Timer(after: Self.grace) { self.end(.failure(self.reason)) }
  }

  func expire() {
    expired = true
    cancel()
  }

  func value() async throws -> Result {
    await ended.value()
    guard let outcome else { preconditionFailure("an asynchronous call ended without an outcome") }
    return try outcome.get()
  }

  func end(_ outcome: Swift.Result<Result, any Error>) {
    guard self.outcome == nil else { return }
    self.outcome = outcome.mapError { ($0 as? GLibError)?.isCancelled == true ? reason : $0 }
    graceTimer?.cancel()
    ended.finish()
  }

  /// The error for a cancelled call.
  private var reason: any Error { expired ? GLibError.timedOut : CancellationError() }

  isolated deinit {
    g_object_unref(cancellable)
  }
}

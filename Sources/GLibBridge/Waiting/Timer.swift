import CGLib

/// A one-shot timer on the actor's context. It stops when it is let go.
@GLibActor
public final class Timer {
  private var source: UnsafeMutablePointer<GSource>?

  /// Starts a timer that calls `action` once, after `delay`.
  public init(after delay: Duration, _ action: @escaping @GLibActor () -> Void) {
    let source = g_timeout_source_new(delay.wholeMilliseconds)
    let box = CallbackBox(action)
    g_source_set_callback(
      source,
      { data in
        GLibActor.assumeIsolated { CallbackBox<@GLibActor () -> Void>.of(data).closure() }
        return sourceRemove
      }, box.retained, CallbackBox<@GLibActor () -> Void>.release)
    g_source_attach(source, GLibActor.shared.executor.context.pointer)
    self.source = source
  }

  public func cancel() {
    guard let source else { return }
    g_source_destroy(source)
    g_source_unref(source)
    self.source = nil
  }

  isolated deinit {
    cancel()
  }
}

extension Duration {
  /// This duration in milliseconds, rounded up, as GLib's timers take it.
  var wholeMilliseconds: UInt32 {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    let milliseconds = min(seconds, Int64(UInt32.max)) * 1000
    return UInt32(clamping: milliseconds + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}

/// Waits on the actor's own clock: no thread of another pool is involved.
///
/// - Throws: `CancellationError` at once when the task is cancelled.
@GLibActor
public func sleep(for delay: Duration) async throws {
  try Task.checkCancellation()
  let wait = Wait()
  let timer = Timer(after: delay) { wait.finish() }
  await wait.valueOrCancelled()
  timer.cancel()
  try Task.checkCancellation()
}

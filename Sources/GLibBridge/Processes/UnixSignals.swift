import CGLib

/// Calls an action on the actor each time the process gets a Unix signal. It stops when it is let go, and the
/// signal then does again what it does by default.
@GLibActor
public final class UnixSignalWatch {
  private var source: AttachedSource?

  /// Starts watching.
  ///
  /// - Parameter signal: `SIGHUP`, `SIGINT`, `SIGTERM`, `SIGUSR1`, `SIGUSR2` or `SIGWINCH`.
  public init(_ signal: Int32, _ action: @escaping @GLibActor () -> Void) {
    source = AttachedSource(owning: g_unix_signal_source_new(signal), AttachedSource.eachTime, action)
  }

  /// Stops watching.
  public func cancel() {
    _ = source.take()
  }

  isolated deinit {
    cancel()
  }
}

/// Unix signals.
public enum UnixSignals {
  /// Waits until the process gets one of `signals`, and returns which. A second one then acts by default, so that
  /// an impatient Ctrl-C ends a program that takes its time to end.
  @GLibActor
  public static func first(of signals: [Int32]) async -> Int32 {
    let wait = Wait()
    var first: Int32 = 0
    let watches = signals.map { signal in
      UnixSignalWatch(signal) {
        if first == 0 { first = signal }
        wait.finish()
      }
    }
    await wait.value()
    for watch in watches { watch.cancel() }
    return first
  }
}

import GLibBridge

/// One party that knows of a lock: logind, a screen saver, the keyring.
@GLibActor
protocol LockSource: AnyObject {
  /// The name that ``LockMonitor/sources`` shows.
  var name: String { get }
  var reading: LockReading { get }

  /// Starts to follow. `changed` is called after each change of ``reading``.
  ///
  /// Returns once the initial state was read, or cannot be.
  func start(_ changed: @escaping @GLibActor () -> Void) async
}

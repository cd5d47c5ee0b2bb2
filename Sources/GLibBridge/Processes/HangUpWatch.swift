import CGLib
import Platform

/// Calls an action once, when the reader of a pipe, a socket or a terminal has closed its end. It never does for a
/// regular file. Releasing the watch stops it.
@GLibActor
public final class HangUpWatch {
  private var source: AttachedSource?

  /// - Parameter stream: the stream, which must stay open while the watch exists.
  public init(_ stream: StandardStream, _ action: @escaping @GLibActor () -> Void) {
    let condition = GIOCondition(rawValue: G_IO_ERR.rawValue | G_IO_HUP.rawValue)
    source = AttachedSource(watching: stream.rawValue, for: condition, action)
  }

  /// Stops watching.
  public func cancel() {
    _ = source.take()
  }

  isolated deinit {
    cancel()
  }
}

import CGLib
import Platform

/// Calls an action once, as soon as nobody can read any more what is written into a pipe, a socket or a terminal. It
/// stops when it is let go. A file is never left by its reader.
@GLibActor
public final class HangUpWatch {
  private var source: AttachedSource?

  /// - Parameter stream: stays open as long as the watch is there.
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

import CGLib
import GLibBridge

/// Calls an action once, when a condition becomes true for a socket. Releasing the watch stops it.
///
/// The watch must be released before the socket's descriptor is closed.
@GLibActor
final class HTTPServerSocketWatch {
  enum Condition {
    /// The socket accepts bytes, or writing would fail.
    case writable
    /// The peer has disconnected or has shut down its sending side. As in most servers, a client that only shuts down
    /// its sending side counts as disconnected.
    case peerGone

    fileprivate var pollFlags: GIOCondition {
      switch self {
      case .writable: G_IO_OUT
      // POLLRDHUP: unlike POLLIN, it reports the end of the stream before unread bytes are read, and nothing else.
      case .peerGone: GIOCondition(rawValue: 0x2000 | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
      }
    }
  }

  private var source: AttachedSource?

  init(
    _ socket: UnsafeMutablePointer<GSocket>, _ condition: Condition, _ action: @escaping @GLibActor () -> Void
  ) {
    source = AttachedSource(watching: g_socket_get_fd(socket), for: condition.pollFlags, action)
  }

  func cancel() {
    _ = source.take()
  }

  isolated deinit {
    cancel()
  }
}

extension UnsafeMutablePointer<GSocket> {
  /// Waits until the socket accepts bytes, writing would fail, or the task is cancelled.
  @GLibActor
  func untilWritable() async {
    let wait = Wait()
    let watch = HTTPServerSocketWatch(self, .writable) { wait.finish() }
    await wait.valueOrCancelled()
    watch.cancel()
  }
}

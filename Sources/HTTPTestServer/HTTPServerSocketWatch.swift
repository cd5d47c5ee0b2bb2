import CGLib
import GLibBridge

/// Calls an action once, as soon as something becomes true of a socket. It stops when it is let go.
///
/// It must not outlive the socket's file descriptor.
@GLibActor
final class HTTPServerSocketWatch {
  enum Condition {
    /// Bytes can be written, or writing fails at once.
    case writable
    /// The peer has gone, or has closed its side. A client that only closes its side counts as gone, as it does for
    /// most servers: there is no telling the two apart.
    case peerGone

    fileprivate var pollFlags: GIOCondition {
      switch self {
      case .writable: G_IO_OUT
      // POLLRDHUP: unlike POLLIN it tells of the end also when unread bytes lie before it, and of nothing else.
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
  /// Waits until bytes can be written, or writing fails at once, or the task is cancelled.
  @GLibActor
  func untilWritable() async {
    let wait = Wait()
    let watch = HTTPServerSocketWatch(self, .writable) { wait.finish() }
    await wait.valueOrCancelled()
    watch.cancel()
  }
}

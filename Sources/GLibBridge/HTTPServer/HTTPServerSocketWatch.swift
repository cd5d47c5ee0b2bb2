import CGLib

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

  private var source: UnsafeMutablePointer<GSource>?

  init(
    _ socket: UnsafeMutablePointer<GSocket>, _ condition: Condition, _ action: @escaping @GLibActor () -> Void
  ) {
    let source = g_unix_fd_source_new(g_socket_get_fd(socket), condition.pollFlags)
    let box = CallbackBox(action)
    let callback: GUnixFDSourceFunc = { _, _, data in
      GLibActor.assumeIsolated { CallbackBox<@GLibActor () -> Void>.of(data).closure() }
      return sourceRemove
    }
    // GLib asks for every kind of callback in the shape of the plainest one.
    g_source_set_callback(
      source, unsafeBitCast(callback, to: GSourceFunc.self), box.retained, CallbackBox<@GLibActor () -> Void>.release)
    g_source_attach(source, GLibActor.shared.executor.context.pointer)
    self.source = source
  }

  func cancel() {
    guard let source else { return }
    g_source_destroy(source)
    g_source_unref(source)
    self.source = nil
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

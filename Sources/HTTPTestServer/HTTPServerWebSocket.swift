import CGLib
import CLibsoup
import GLibBridge

/// The server's end of a WebSocket, with back-pressure on writes.
@GLibActor
public final class HTTPServerWebSocket {
  /// A write after the connection was closed.
  public struct Closed: Error {}

  /// The longest message that is accepted, in bytes: requests may contain images.
  private static let messageLimit: guint64 = 32 << 20

  private let socket: WebSocket
  private let transport: UnsafeMutablePointer<GSocket>
  private let connection: OpaquePointer
  private let peerWatch: HTTPServerSocketWatch
  private var closedHandler: gulong = 0

  /// Takes ownership of a connection after its handshake, a reference to its socket, and the watch for the client's
  /// disconnect.
  ///
  /// - Parameter left: called when the client has sent a close frame.
  init(
    _ message: OpaquePointer, connection stream: UnsafeMutablePointer<GIOStream>,
    socket transport: UnsafeMutablePointer<GSocket>, peerWatch: HTTPServerSocketWatch,
    left: @escaping @GLibActor () -> Void
  ) {
    let connection = soup_websocket_connection_new(
      stream, soup_server_message_get_uri(message), SOUP_WEBSOCKET_CONNECTION_SERVER, nil, nil, nil)
    guard let connection else { preconditionFailure("libsoup made no WebSocket") }
    g_object_unref(stream)
    socket = WebSocket(serving: connection, messageLimit: Self.messageLimit)
    self.connection = connection
    self.transport = transport
    self.peerWatch = peerWatch
    let closed: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { _, data in
      GLibActor.assumeIsolated { CallbackBox<@GLibActor () -> Void>.of(data).closure() }
    }
    closedHandler = g_signal_connect_data(
      UnsafeMutableRawPointer(connection), "closed", unsafeBitCast(closed, to: GCallback.self),
      CallbackBox(left).retained, CallbackBox<@GLibActor () -> Void>.releaseOfSignal,
      GConnectFlags(rawValue: 0))
  }

  isolated deinit {
    g_signal_handler_disconnect(UnsafeMutableRawPointer(connection), closedHandler)
    peerWatch.cancel()
    g_object_unref(transport)
  }

  /// Sends one message and waits until the kernel has accepted it.
  ///
  /// - Throws: `CancellationError` when the client disconnected; ``Closed``.
  public func write(_ text: [UInt8]) async throws {
    try Task.checkCancellation()
    guard socket.isOpen else { throw Closed() }
    socket.send(text)
    try await flush()
  }

  /// Sends encoded frames directly to the socket, bypassing libsoup, which must have nothing queued.
  ///
  /// - Throws: `CancellationError` when the client disconnected; ``GLibError`` when the connection broke; ``Closed``.
  public func write(frames: [UInt8]) async throws {
    var rest = frames[...]
    while !rest.isEmpty {
      try Task.checkCancellation()
      guard socket.isOpen else { throw Closed() }
      if let count = try transport.sendNow(rest) {
        rest = rest.dropFirst(count)
      } else {
        await transport.untilWritable()
      }
    }
  }

  /// Calls `take` with each message; see ``WebSocket/forEachMessage(idleDeadline:_:)``.
  public func forEachMessage(idleDeadline: Duration, _ take: @escaping WebSocket.Take) async throws {
    try await socket.forEachMessage(idleDeadline: idleDeadline, take)
  }

  /// Sends a close frame. Does nothing after the connection was closed.
  public func close() {
    peerWatch.cancel()
    socket.close()
  }

  /// Closes the connection without a close frame.
  public func abort() {
    peerWatch.cancel()
    g_socket_close(transport, nil)
  }

  /// libsoup queues messages and does not report when they were sent. It writes whenever the socket accepts bytes,
  /// before this code runs. So once the socket accepts more and libsoup writes nothing, the queue is empty.
  private func flush() async throws {
    repeat {
      await transport.untilWritable()
      await untilQuiet()
      try Task.checkCancellation()
      guard socket.isOpen else { throw Closed() }
    } while g_socket_condition_check(transport, G_IO_OUT).rawValue & G_IO_OUT.rawValue == 0
  }

  /// Waits until no other source of the main loop is ready.
  private func untilQuiet() async {
    let wait = Wait()
    let source = AttachedSource(owning: g_idle_source_new(), AttachedSource.once) { wait.finish() }
    await wait.value()
    _ = consume source
  }
}

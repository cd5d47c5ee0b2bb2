// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup
import GLibBridge

/// The server's end of a WebSocket, with back-pressure on writes.
@GLibActor
public final class HTTPServerWebSocket {
  /// The longest message that is accepted, in bytes: requests may contain images.
  private static let messageLimit: guint64 = 32 << 20

  /// A consumer of one message. The message is valid only during the call.
  public typealias Take = @GLibActor (borrowing Span<UInt8>) -> FlowControl

  private let transport: UnsafeMutablePointer<GSocket>
  private let connection: OpaquePointer
  private let peerWatch: SourceWatch
  private var handlers: [gulong] = []
  private var messages: ArraySlice<[UInt8]> = []
  private var arrival = Wait()

  /// Takes ownership of a connection after its handshake, a reference to its socket, and the watch for the client's
  /// disconnect.
  ///
  /// - Parameter left: called when the client has sent a close frame.
  init(
    _ message: OpaquePointer, connection stream: UnsafeMutablePointer<GIOStream>,
    socket transport: UnsafeMutablePointer<GSocket>, peerWatch: SourceWatch,
    left: @escaping @GLibActor () -> Void
  ) {
    let connection = soup_websocket_connection_new(
      stream, soup_server_message_get_uri(message), SOUP_WEBSOCKET_CONNECTION_SERVER, nil, nil, nil)
    guard let connection else { preconditionFailure("libsoup made no WebSocket") }
    g_object_unref(stream)
    soup_websocket_connection_set_max_incoming_payload_size(connection, Self.messageLimit)
    self.connection = connection
    self.transport = transport
    self.peerWatch = peerWatch
    let closed = onSignal("closed", of: connection) { [weak self] in
      self?.arrival.finish()
      left()
    }
    typealias Receive = @GLibActor (OpaquePointer?, Int32) -> Void
    let callback: @convention(c) (OpaquePointer?, Int32, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
      _, type, bytes, data in
      GLibActor.assumeIsolated { CallbackBox<Receive>.of(data).closure(bytes, type) }
    }
    let receive: Receive = { [weak self] bytes, type in
      self?.received(bytes, isText: type == Int32(SOUP_WEBSOCKET_DATA_TEXT.rawValue))
    }
    handlers = [
      closed, onSignal("message", of: connection, receive, unsafeBitCast(callback, to: GCallback.self)),
    ]
  }

  isolated deinit {
    for handler in handlers { g_signal_handler_disconnect(UnsafeMutableRawPointer(connection), handler) }
    peerWatch.cancel()
    g_object_unref(UnsafeMutableRawPointer(connection))
    g_object_unref(transport)
  }

  private var isOpen: Bool { soup_websocket_connection_get_state(connection) == SOUP_WEBSOCKET_STATE_OPEN }

  private func received(_ message: OpaquePointer?, isText: Bool) {
    guard isText, let message else {
      return soup_websocket_connection_close(connection, UInt16(SOUP_WEBSOCKET_CLOSE_UNSUPPORTED_DATA.rawValue), nil)
    }
    var count: gsize = 0
    let start = g_bytes_get_data(message, &count)?.assumingMemoryBound(to: UInt8.self)
    messages.append(Array(UnsafeBufferPointer(start: start, count: Int(count))))
    arrival.finish()
  }

  /// Sends one message and waits until the kernel has accepted it.
  ///
  /// - Throws: `CancellationError` when the client disconnected; ``HTTPServerConnectionClosed``.
  public func write(_ text: [UInt8]) async throws {
    try Task.checkCancellation()
    guard isOpen else { throw HTTPServerConnectionClosed() }
    let bytes = g_bytes_new(text, gsize(text.count))
    soup_websocket_connection_send_message(connection, SOUP_WEBSOCKET_DATA_TEXT, bytes)
    g_bytes_unref(bytes)
    try await flush()
  }

  /// Sends encoded frames directly to the socket, bypassing libsoup, which must have nothing queued.
  ///
  /// - Throws: `CancellationError` when the client disconnected; ``GLibError`` when the connection broke;
  ///   ``HTTPServerConnectionClosed``.
  public func write(frames: [UInt8]) async throws {
    try await transport.send(frames) { isOpen }
  }

  /// Calls `take` with each message until it returns ``FlowControl/stop``.
  ///
  /// - Parameter idleDeadline: the longest time without a message; after it the call fails with ``GLibError/timedOut``.
  /// - Throws: ``HTTPServerConnectionClosed``, ``GLibError``, `CancellationError`.
  public func forEachMessage(idleDeadline: Duration, _ take: @escaping Take) async throws {
    while true {
      try Task.checkCancellation()
      if let message = messages.popFirst() {
        let (flow, goesOn) = (take(message.span), Promise<Bool>())
        Task.onGLib { goesOn.fulfil(await flow.goesOn()) }
        guard try await goesOn.value() else { return }
      } else {
        guard isOpen else { throw HTTPServerConnectionClosed() }
        arrival = Wait()
        try await withDeadline(idleDeadline) { [arrival] in await arrival.valueOrCancelled() }
      }
    }
  }

  /// Sends a close frame. Does nothing after the connection was closed.
  public func close() {
    peerWatch.cancel()
    guard isOpen else { return }
    soup_websocket_connection_close(connection, UInt16(SOUP_WEBSOCKET_CLOSE_NORMAL.rawValue), nil)
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
      // No other source of the main loop is ready.
      await SourceWatch.wait(for: .idle)
      try Task.checkCancellation()
      guard isOpen else { throw HTTPServerConnectionClosed() }
    } while g_socket_condition_check(transport, G_IO_OUT).rawValue & G_IO_OUT.rawValue == 0
  }
}

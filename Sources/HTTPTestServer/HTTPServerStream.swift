// SPDX-License-Identifier: Apache-2.0
import CGLib
import GLibBridge

/// The body of a streamed response.
///
/// Each ``write(_:)`` is sent at once, as one chunk in one system call when possible. Only one task may write at a
/// time.
@GLibActor
public final class HTTPServerStream {
  private var isOpen = true
  private let connection: UnsafeMutablePointer<GIOStream>
  private let socket: UnsafeMutablePointer<GSocket>
  private let peerWatch: SourceWatch
  /// Whether the body is sent in chunks, which clients of HTTP/1.0 do not support.
  private let isChunked: Bool

  /// Takes ownership of a connection, a reference to its socket, and the watch for the client's disconnect.
  ///
  /// Data is written to the socket directly. The connection's own stream would send each chunk in three pieces, after
  /// an iteration of the main loop.
  init(
    connection: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>,
    peerWatch: SourceWatch, isChunked: Bool
  ) {
    self.connection = connection
    self.socket = socket
    self.peerWatch = peerWatch
    self.isChunked = isChunked
  }

  isolated deinit {
    abort()
    g_object_unref(connection)
    g_object_unref(socket)
  }

  /// Sends `bytes` as one chunk, and waits only while the socket's buffer is full. Empty `bytes` send nothing.
  ///
  /// - Throws: `CancellationError` when the client disconnected; ``GLibError`` when the connection broke;
  ///   ``HTTPServerConnectionClosed``.
  public func write(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    try await send(isChunked ? Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10] : bytes)
  }

  /// Ends the body and closes the connection. Does nothing after the end.
  ///
  /// - Throws: as ``write(_:)``.
  public func finish() async throws {
    guard isOpen else { return }
    if isChunked { try await send(Array("0\r\n\r\n".utf8)) }
    abort()
  }

  /// Closes the connection without ending the body.
  public func abort() {
    guard isOpen else { return }
    isOpen = false
    peerWatch.cancel()
    g_socket_close(socket, nil)
  }

  /// Sends bytes that already have their framing.
  func send(_ bytes: [UInt8]) async throws {
    try await socket.send(bytes) { isOpen }
  }

  /// Transfers the connection and its socket to the caller. Later writes throw ``HTTPServerConnectionClosed``.
  func detach() -> (connection: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>) {
    isOpen = false
    g_object_ref(connection)
    g_object_ref(socket)
    return (connection, socket)
  }
}

/// A write after the connection was closed.
public struct HTTPServerConnectionClosed: Error {}

extension SourceWatch {
  /// Waits for an event, or until the task is cancelled.
  static func wait(for event: Event) async {
    let wait = Wait()
    let watch = SourceWatch(event) { wait.finish() }
    await wait.valueOrCancelled()
    watch.cancel()
  }

  /// Calls an action once, when the peer of a socket has disconnected or has shut down its sending side. As in most
  /// servers, a client that only shuts down its sending side counts as disconnected.
  ///
  /// The watch must be released before the socket's descriptor is closed.
  static func peer(of socket: UnsafeMutablePointer<GSocket>, _ action: @escaping @GLibActor () -> Void) -> SourceWatch {
    // POLLRDHUP: unlike POLLIN, it reports the end of the stream before unread bytes are read, and nothing else.
    let gone = GIOCondition(rawValue: 0x2000 | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
    return SourceWatch(.descriptor(g_socket_get_fd(socket), gone), action)
  }
}

extension UnsafeMutablePointer<GSocket> {
  /// Waits until the socket accepts bytes, writing would fail, or the task is cancelled.
  @GLibActor
  func untilWritable() async {
    await SourceWatch.wait(for: .descriptor(g_socket_get_fd(self), G_IO_OUT))
  }

  /// Sends all bytes, and waits while the socket's buffer is full.
  ///
  /// - Parameter isOpen: asked before each part; the socket may be closed meanwhile.
  /// - Throws: `CancellationError` when the client disconnected; ``GLibError`` when the connection broke;
  ///   ``HTTPServerConnectionClosed``.
  @GLibActor
  func send(_ bytes: [UInt8], while isOpen: () -> Bool) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard isOpen() else { throw HTTPServerConnectionClosed() }
      try Task.checkCancellation()
      if let count = try sendNow(rest) {
        rest = rest.dropFirst(count)
      } else {
        await untilWritable()
      }
    }
  }

  /// Sends as many bytes as the socket accepts now; nil when it accepts none.
  @GLibActor
  private func sendNow(_ bytes: ArraySlice<UInt8>) throws -> Int? {
    do {
      return try checked { error in
        bytes.withUnsafeBytes {
          Int(g_socket_send_with_blocking(self, $0.baseAddress, gsize($0.count), 0, nil, &error))
        }
      }
    } catch let error as GLibError where error.isIO(G_IO_ERROR_WOULD_BLOCK) {
      return nil
    }
  }
}

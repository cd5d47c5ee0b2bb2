import CGLib
import GLibBridge

/// The body of a streamed response.
///
/// Each ``write(_:)`` is sent at once, as one chunk in one system call when possible. Only one task may write at a
/// time.
@GLibActor
public final class HTTPServerStream {
  /// A write after the end of the body.
  public struct Closed: Error {}

  enum Framing {
    case chunked
    /// For HTTP/1.0 clients, which do not support chunked encoding.
    case untilClose
  }

  private enum State {
    case open
    case closed
  }

  private var state = State.open
  private let connection: UnsafeMutablePointer<GIOStream>
  private let socket: UnsafeMutablePointer<GSocket>
  private let peerWatch: HTTPServerSocketWatch
  private let framing: Framing

  /// Takes ownership of a connection, a reference to its socket, and the watch for the client's disconnect.
  ///
  /// Data is written to the socket directly. The connection's own stream would send each chunk in three pieces, after
  /// an iteration of the main loop.
  init(
    connection: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>,
    peerWatch: HTTPServerSocketWatch, framing: Framing
  ) {
    self.connection = connection
    self.socket = socket
    self.peerWatch = peerWatch
    self.framing = framing
  }

  isolated deinit {
    abort()
    g_object_unref(connection)
    g_object_unref(socket)
  }

  /// Sends `bytes` as one chunk, and waits only while the socket's buffer is full. Empty `bytes` send nothing.
  ///
  /// - Throws: `CancellationError` when the client disconnected; ``GLibError`` when the connection broke; ``Closed``.
  public func write(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    switch framing {
    case .chunked: try await send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
    case .untilClose: try await send(bytes)
    }
  }

  /// Ends the body and closes the connection. Does nothing after the end.
  ///
  /// - Throws: as ``write(_:)``.
  public func finish() async throws {
    guard case .open = state else { return }
    if case .chunked = framing { try await send(Array("0\r\n\r\n".utf8)) }
    abort()
  }

  /// Closes the connection without ending the body.
  public func abort() {
    guard case .open = state else { return }
    state = .closed
    peerWatch.cancel()
    g_socket_close(socket, nil)
  }

  /// Sends bytes that already have their framing.
  func send(_ bytes: [UInt8]) async throws {
    var sent = 0
    while sent < bytes.count {
      guard case .open = state else { throw Closed() }
      try Task.checkCancellation()
      if let count = try socket.sendNow(bytes[sent...]) {
        sent += count
      } else {
        await socket.untilWritable()
      }
    }
  }

  /// Transfers the connection and its socket to the caller. Later writes throw ``Closed``.
  func detach() -> (connection: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>) {
    state = .closed
    g_object_ref(connection)
    g_object_ref(socket)
    return (connection, socket)
  }
}

extension UnsafeMutablePointer<GSocket> {
  /// Sends as many bytes as the socket accepts now; nil when it accepts none.
  @GLibActor
  func sendNow(_ bytes: ArraySlice<UInt8>) throws -> Int? {
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

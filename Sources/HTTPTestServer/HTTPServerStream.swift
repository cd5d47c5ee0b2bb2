import CGLib
import GLibBridge

/// The body of an answer that is written as it comes into being.
///
/// Each ``write(_:)`` leaves at once, as one chunk in one piece. One task may write at a time.
@GLibActor
public final class HTTPServerStream {
  /// Something was written after the end.
  public struct Closed: Error {}

  enum Framing {
    case chunked
    /// For clients of HTTP/1.0, which know no chunks.
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

  /// Takes over a connection, a reference to its socket, and the watch for the client's leaving.
  ///
  /// The socket is written to past the connection's own stream, which would send a chunk in three pieces and only
  /// after a round of the main loop.
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

  /// Sends `bytes` as one chunk; waits only while the client reads too slowly to take them. No bytes are no chunk.
  ///
  /// - Throws: `CancellationError` when the client has left, ``GLibError`` when the connection broke, ``Closed``.
  public func write(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    switch framing {
    case .chunked: try await send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
    case .untilClose: try await send(bytes)
    }
  }

  /// Ends the body and closes the connection. Does nothing when the stream has ended already.
  public func finish() async throws {
    guard case .open = state else { return }
    if case .chunked = framing { try await send(Array("0\r\n\r\n".utf8)) }
    abort()
  }

  /// Cuts the connection, in the middle of the body unless it is finished.
  public func abort() {
    guard case .open = state else { return }
    state = .closed
    peerWatch.cancel()
    g_socket_close(socket, nil)
  }

  /// Sends bytes that are framed already.
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

  /// Hands the connection over to somebody else, who owns the references from now on. Nothing can be written any more.
  func detach() -> (connection: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>) {
    state = .closed
    g_object_ref(connection)
    g_object_ref(socket)
    return (connection, socket)
  }
}

extension UnsafeMutablePointer<GSocket> {
  /// Sends what the socket takes now; nil when that is nothing.
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

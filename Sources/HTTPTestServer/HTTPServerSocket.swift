// SPDX-License-Identifier: Apache-2.0
import CGLib
import GLibBridge

/// A write after the connection was closed.
public struct HTTPServerConnectionClosed: Error {}

/// Calls an action once, when the peer of a socket has disconnected or has shut down its sending side. As in most
/// servers, a client that only shuts down its sending side counts as disconnected.
///
/// Releasing the watch stops it. It must be released before the socket's descriptor is closed.
@GLibActor
final class HTTPServerPeerWatch {
  private var source: AttachedSource?

  init(_ socket: UnsafeMutablePointer<GSocket>, _ action: @escaping @GLibActor () -> Void) {
    // POLLRDHUP: unlike POLLIN, it reports the end of the stream before unread bytes are read, and nothing else.
    let gone = GIOCondition(rawValue: 0x2000 | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
    source = AttachedSource(watching: g_socket_get_fd(socket), for: gone, action)
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
    let source = AttachedSource(watching: g_socket_get_fd(self), for: G_IO_OUT) { wait.finish() }
    await wait.valueOrCancelled()
    _ = consume source
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

// SPDX-License-Identifier: Apache-2.0
import CGLib
import GLibBridge
import Glibc

/// A socket pair with a GIO input stream at one end.
@GLibActor
final class Pipe {
  let stream: UnsafeMutablePointer<GInputStream>
  private let connection: UnsafeMutablePointer<GSocketConnection>
  private let writeEnd: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw Failure() }
    guard let socket = g_socket_new_from_fd(ends[0], nil) else { throw Failure() }
    connection = g_socket_connection_factory_create_connection(socket)
    g_object_unref(socket)
    stream = connection.withMemoryRebound(to: GIOStream.self, capacity: 1) { g_io_stream_get_input_stream($0) }
    writeEnd = ends[1]
  }

  isolated deinit {
    g_object_unref(connection)
    close(writeEnd)
  }

  func write(_ bytes: [UInt8]) {
    _ = Glibc.write(writeEnd, bytes, bytes.count)
  }

  private struct Failure: Error {}
}

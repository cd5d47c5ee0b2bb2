import CGLib
import Glibc
import Platform

/// A TCP socket that listens on the literal address 127.0.0.1, with a port of the system's choice.
struct ListeningSocket {
  /// Connections that wait to be accepted. Those beyond wait for the kernel to try again.
  private static let backlog: Int32 = 256

  let port: UInt16
  let descriptor: Descriptor

  /// - Throws: ``GLibError``.
  init() throws {
    let socket = try checked { g_socket_new(G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &$0) }
    guard let socket else { preconditionFailure("GLib made no socket") }
    defer { g_object_unref(socket) }
    port = try Self.listen(socket)
    // GLib's socket, which does not block, does not give up its own descriptor.
    guard let copy = Descriptor(owning: fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0)) else {
      throw GLibError(errno: errno)
    }
    descriptor = copy
  }

  /// Accepts a connection; nil when none waits.
  ///
  /// - Throws: ``GLibError``, as when the process has no descriptor left.
  func accept() throws -> Descriptor? {
    while true {
      if let peer = Descriptor(owning: chappie_accept(descriptor.number)) { return peer }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return nil
      default: throw GLibError(errno: errno)
      }
    }
  }

  private static func listen(_ socket: UnsafeMutablePointer<GSocket>) throws -> UInt16 {
    g_socket_set_listen_backlog(socket, backlog)
    let address = g_inet_socket_address_new_from_string("127.0.0.1", 0)
    defer { g_object_unref(address) }
    // Without reuse of addresses: nobody else can take the same port.
    _ = try checked { g_socket_bind(socket, address, 0, &$0) }
    _ = try checked { g_socket_listen(socket, &$0) }
    let bound = try checked { g_socket_get_local_address(socket, &$0) }
    guard let bound else { preconditionFailure("a socket that listens has no address") }
    defer { g_object_unref(bound) }
    return bound.withMemoryRebound(to: GInetSocketAddress.self, capacity: 1) { g_inet_socket_address_get_port($0) }
  }
}

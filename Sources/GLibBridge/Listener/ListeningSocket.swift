import CGLib
import Glibc
import Platform

/// A TCP socket that listens on the literal address 127.0.0.1, with a port of the system's choice.
@GLibActor
final class ListeningSocket {
  /// Connections that wait to be accepted; the kernel refuses more.
  private static let backlog: Int32 = 256

  let port: UInt16
  let descriptor: Descriptor
  private let socket: UnsafeMutablePointer<GSocket>

  /// - Throws: ``GLibError``.
  init() throws {
    let made = try checked { g_socket_new(G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &$0) }
    guard let made else { preconditionFailure("GLib made no socket") }
    do {
      port = try Self.listen(made)
      descriptor = try Self.copy(made)
    } catch {
      g_object_unref(made)
      throw error
    }
    socket = made
  }

  isolated deinit {
    g_object_unref(socket)
  }

  /// Accepts a connection; nil when none waits.
  ///
  /// - Throws: ``GLibError``, as when the process has no descriptor left.
  func accept() throws -> Descriptor? {
    let peer: UnsafeMutablePointer<GSocket>?
    do {
      peer = try checked { g_socket_accept(socket, nil, &$0) }
    } catch let error as GLibError where error.isIO(G_IO_ERROR_WOULD_BLOCK) {
      return nil
    }
    guard let peer else { return nil }
    defer { g_object_unref(peer) }
    return try Self.copy(peer)
  }

  private static func listen(_ socket: UnsafeMutablePointer<GSocket>) throws -> UInt16 {
    g_socket_set_blocking(socket, 0)
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

  /// GLib's sockets do not give up their descriptor.
  private static func copy(_ socket: UnsafeMutablePointer<GSocket>) throws -> Descriptor {
    guard let copy = Descriptor(owning: fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0)) else {
      throw GLibError(errno: errno)
    }
    return copy
  }
}

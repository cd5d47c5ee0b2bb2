// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform

/// A small HTTP listener on 127.0.0.1, to which this user's browser returns from a web page.
///
/// Every local program can connect, so all is bounded: at most ``connectionLimit`` connections, each with one request
/// of at most ``LoopbackConnection/headLimit`` bytes, which has 15 s to come and the answer as long to be
/// taken. libsoup's server is not used: it gives the parsed address instead of what was sent, merges
/// repeated fields, and keeps copies of the address that nothing wipes.
@GLibActor
package final class LoopbackListener {
  /// Answers a request. It may take its time; it is cancelled when the listener stops and a second has passed.
  package typealias Handler = @GLibActor (LoopbackRequest) async -> LoopbackAnswer

  /// The most connections. One more closes the oldest whose request has not come, or the oldest if there is none.
  package static let connectionLimit = 16
  /// The longest time that ``stop()`` lets answers go out.
  private static let farewell = Duration.seconds(1)
  /// The most connections that one iteration of the main loop accepts. In a flood, each has some iterations to send
  /// its request before it is the oldest.
  private static let batchSize = 4
  /// The wait before the next connection is accepted, after the process ran out of descriptors.
  private static let exhaustionPause = Duration.milliseconds(200)

  private enum State {
    case idle
    case serving(DescriptorWatch, Handler)
    /// Accepts nothing until the timer fires.
    case pausing(Timer, Handler)
    /// Accepts nothing any more. The timer ends the answers that are left, and keeps this object alive until then.
    case stopping(Timer)
    case stopped
  }

  /// The port, of the system's choice.
  package nonisolated let port: UInt16
  private let patience: Duration
  private var state = State.idle
  private var socket: ListeningSocket?
  private var connections: [LoopbackConnection] = []

  /// Listens. Connections wait until ``serve(_:)`` is called.
  ///
  /// - Parameter patience: the longest time for a request to come, and then for its answer to be taken.
  /// - Throws: ``GLibError`` when no port or no descriptor is left.
  package init(patience: Duration = .seconds(15)) throws {
    self.patience = patience
    let socket = try ListeningSocket()
    port = socket.port
    self.socket = socket
  }

  isolated deinit {
    abort()
  }

  /// Begins to accept connections. Call it once.
  ///
  /// - Throws: ``GLibError`` when the kernel has no room to watch the socket.
  package func serve(_ handler: @escaping Handler) throws {
    guard case .idle = state, let socket else { return }
    let watch = try DescriptorWatch(socket.descriptor) { [weak self] _ in self?.accept(handler) }
    watch.awaited = .input
    state = .serving(watch, handler)
  }

  /// Stops listening at once. Answers that are under way, or that a handler gives within a second, are sent first.
  package func stop() {
    switch state {
    case .stopping, .stopped: return
    case .idle, .serving, .pausing: break
    }
    socket = nil
    state = .stopping(Timer(after: Self.farewell) { self.abort() })
    for connection in connections where connection.isReading { connection.close() }
    connections.removeAll { $0.isReading }
    endIfIdle()
  }

  // MARK: Connections

  private func accept(_ handler: @escaping Handler) {
    for _ in 0..<Self.batchSize {
      guard case .serving = state, let socket else { return }
      do {
        guard let peer = try socket.accept() else { return }
        makeRoom()
        let connection = try LoopbackConnection(peer, patience)
        connections.append(connection)
        connection.serve(handler) { [weak self, weak connection] in
          self?.connections.removeAll { $0 === connection }
          self?.endIfIdle()
        }
      } catch {
        return pause(handler)
      }
    }
  }

  private func makeRoom() {
    guard connections.count >= Self.connectionLimit else { return }
    let index = connections.firstIndex { $0.isReading } ?? 0
    connections.remove(at: index).close()
  }

  /// A connection that cannot be accepted stays ready, so without a pause the main loop would spin.
  private func pause(_ handler: @escaping Handler) {
    state = .pausing(
      Timer(after: Self.exhaustionPause) { [weak self] in
        guard let self, case .pausing(_, let handler) = state else { return }
        state = .idle
        do { try serve(handler) } catch { pause(handler) }
      }, handler)
  }

  private func endIfIdle() {
    guard case .stopping(let timer) = state, connections.isEmpty else { return }
    timer.cancel()
    state = .stopped
  }

  private func abort() {
    socket = nil
    state = .stopped
    for connection in connections { connection.close() }
    connections = []
  }
}

/// A TCP socket that listens on the literal address 127.0.0.1.
package struct ListeningSocket {
  /// Connections that wait to be accepted. Those beyond wait for the kernel to try again.
  private static let backlog: Int32 = 256

  let port: UInt16
  let descriptor: Descriptor

  /// A socket with a port of the system's choice.
  ///
  /// - Throws: ``GLibError``.
  init() throws {
    let (socket, port) = try Self.open(port: 0, backlog: Self.backlog, reusable: false)
    defer { g_object_unref(socket) }
    self.port = port
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

  /// Opens a socket of GLib's, which the caller releases.
  ///
  /// - Parameters:
  ///   - port: 0 for a port of the system's choice.
  ///   - reusable: whether another socket may take the port as soon as this one is closed, if it is reusable too. If
  ///     not, nobody else can take it.
  /// - Throws: ``GLibError`` when the port is in use.
  package static func open(
    port: UInt16, backlog: Int32, reusable: Bool
  ) throws -> (socket: UnsafeMutablePointer<GSocket>, port: UInt16) {
    let socket = try checked { g_socket_new(G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &$0) }
    guard let socket else { preconditionFailure("GLib made no socket") }
    do {
      return (socket, try listen(socket, port, backlog, reusable))
    } catch {
      g_object_unref(socket)
      throw error
    }
  }

  private static func listen(
    _ socket: UnsafeMutablePointer<GSocket>, _ port: UInt16, _ backlog: Int32, _ reusable: Bool
  ) throws -> UInt16 {
    g_socket_set_listen_backlog(socket, backlog)
    let address = g_inet_socket_address_new_from_string("127.0.0.1", guint(port))
    defer { g_object_unref(address) }
    _ = try checked { g_socket_bind(socket, address, reusable ? 1 : 0, &$0) }
    _ = try checked { g_socket_listen(socket, &$0) }
    let bound = try checked { g_socket_get_local_address(socket, &$0) }
    guard let bound else { preconditionFailure("a socket that listens has no address") }
    defer { g_object_unref(bound) }
    return bound.withMemoryRebound(to: GInetSocketAddress.self, capacity: 1) { g_inet_socket_address_get_port($0) }
  }
}

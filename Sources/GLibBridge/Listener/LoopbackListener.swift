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
  /// The wait before the next connection is accepted, after the process ran out of descriptors.
  private static let exhaustionPause = Duration.milliseconds(200)
  /// Connections that wait to be accepted. Those beyond wait for the kernel to try again.
  private static let backlog: Int32 = 256

  private enum State {
    case idle
    case serving(Task<Void, Never>)
    /// Accepts nothing any more. The timer ends the answers that are left, and keeps this object alive until then.
    case stopping(Timer)
    case stopped
  }

  /// The port, of the system's choice.
  package nonisolated let port: UInt16
  /// Fulfilled when nothing is left to answer after ``stop()``, which takes a second at most.
  package let end = Promise<Void>()
  private let patience: Duration
  private let listener: UnsafeMutablePointer<GSocketListener>
  private var state = State.idle
  private var connections: [LoopbackConnection] = []

  /// Listens. Connections wait until ``serve(_:)`` is called.
  ///
  /// - Parameter patience: the longest time for a request to come, and then for its answer to be taken.
  /// - Throws: ``GLibError`` when no port or no descriptor is left.
  package init(patience: Duration = .seconds(15)) throws {
    self.patience = patience
    let socket: UnsafeMutablePointer<GSocket>
    (socket, port) = try LoopbackSocket.listening(port: 0, backlog: Self.backlog, reusable: false)
    defer { g_object_unref(socket) }
    listener = g_socket_listener_new()
    try checked { g_socket_listener_add_socket(listener, socket, nil, &$0) }
  }

  isolated deinit {
    abort()
    g_object_unref(listener)
  }

  /// Begins to accept connections. Call it once.
  package func serve(_ handler: @escaping Handler) {
    guard case .idle = state else { return }
    g_object_ref(listener)
    state = .serving(
      Task.onGLib { [weak self, listener] in
        defer { g_object_unref(listener) }
        while !Task.isCancelled {
          do {
            let peer = try await LoopbackSocket.accepted(by: listener)
            try self?.serve(peer, handler)
          } catch {
            // Without a descriptor the next connection fails as well: without a pause the main loop would spin.
            try? await sleep(for: Self.exhaustionPause)
          }
        }
      })
  }

  /// Stops listening at once. Answers that are under way, or that a handler gives within a second, are sent first.
  package func stop() {
    switch state {
    case .stopping, .stopped: return
    case .idle, .serving: stopListening()
    }
    state = .stopping(Timer(after: Self.farewell) { self.abort() })
    for connection in connections where connection.isReading { connection.close() }
    connections.removeAll { $0.isReading }
    endIfIdle()
  }

  // MARK: Connections

  private func serve(_ peer: Descriptor, _ handler: @escaping Handler) throws {
    guard case .serving = state else { return }
    makeRoom()
    let connection = try LoopbackConnection(peer, patience)
    connections.append(connection)
    connection.serve(handler) { [weak self, weak connection] in
      self?.connections.removeAll { $0 === connection }
      self?.endIfIdle()
    }
  }

  private func makeRoom() {
    guard connections.count >= Self.connectionLimit else { return }
    let index = connections.firstIndex { $0.isReading } ?? 0
    connections.remove(at: index).close()
  }

  private func endIfIdle() {
    guard case .stopping(let timer) = state, connections.isEmpty else { return }
    timer.cancel()
    state = .stopped
    end.fulfil(())
  }

  private func stopListening() {
    if case .serving(let accepting) = state { accepting.cancel() }
    g_socket_listener_close(listener)
  }

  private func abort() {
    stopListening()
    state = .stopped
    for connection in connections { connection.close() }
    connections = []
    end.fulfil(())
  }
}

/// TCP sockets on the literal address 127.0.0.1.
@GLibActor
package enum LoopbackSocket {
  /// Makes a socket that listens, which the caller releases.
  ///
  /// - Parameters:
  ///   - port: 0 for a port of the system's choice.
  ///   - reusable: whether another socket may take the port as soon as this one is closed, if it is reusable too. If
  ///     not, nobody else can take it.
  /// - Throws: ``GLibError`` when the port is in use.
  package static func listening(
    port: UInt16, backlog: Int32, reusable: Bool
  ) throws -> (socket: UnsafeMutablePointer<GSocket>, port: UInt16) {
    let socket = try checked { g_socket_new(G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &$0) }
    do {
      // Otherwise GLib may wait in `accept`, for a connection that was there and has gone.
      g_socket_set_blocking(socket, 0)
      g_socket_set_listen_backlog(socket, backlog)
      let address = g_inet_socket_address_new_from_string("127.0.0.1", guint(port))
      defer { g_object_unref(address) }
      try checked { g_socket_bind(socket, address, reusable ? 1 : 0, &$0) }
      try checked { g_socket_listen(socket, &$0) }
      let bound = try checked { g_socket_get_local_address(socket, &$0) }
      defer { g_object_unref(bound) }
      return (
        socket,
        bound.withMemoryRebound(to: GInetSocketAddress.self, capacity: 1) { g_inet_socket_address_get_port($0) }
      )
    } catch {
      g_object_unref(socket)
      throw error
    }
  }

  /// Waits for a connection.
  ///
  /// - Throws: ``GLibError``, as when the process has no descriptor left; `CancellationError`.
  fileprivate static func accepted(by listener: UnsafeMutablePointer<GSocketListener>) async throws -> Descriptor {
    try await asyncCall { cancellable, callback, data in
      g_socket_listener_accept_socket_async(listener, cancellable, callback, data)
    } finish: { result, error in
      guard let socket = g_socket_listener_accept_socket_finish(listener, result, nil, &error) else { return nil }
      defer { g_object_unref(socket) }
      // GLib's socket does not give up its own descriptor.
      return Descriptor(owning: fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0))
    }
  }
}

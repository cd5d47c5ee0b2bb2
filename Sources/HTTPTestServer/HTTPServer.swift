import CGLib
import CLibsoup
import GLibBridge

/// An HTTP server on 127.0.0.1, by libsoup. It is for tests and the stand-in backend only.
///
/// It closes each connection after one response: libsoup 3.2 leaks a connection that the client closes while the server
/// waits for a second request.
@GLibActor
public final class HTTPServer {
  /// Handles a request. The task is cancelled when the client disconnects. A thrown error becomes a response with
  /// status 500.
  public typealias Handler = @GLibActor @Sendable (HTTPServerRequest) async throws -> HTTPServerAnswer

  /// The port on which the server listens.
  public let port: UInt16
  private let server: UnsafeMutablePointer<SoupServer>
  private let handler: Handler
  private let bodyLimit: Int
  private var exchanges: [ObjectIdentifier: HTTPServerExchange] = [:]
  private var whenIdle: Wait?

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - port: the port; 0 lets the kernel choose one.
  ///   - bodyLimit: the longest request body in bytes. A request with a longer body receives status 413.
  /// - Throws: ``GLibError`` when the port is in use.
  public init(port: UInt16 = 0, bodyLimit: Int = 16 << 20, _ handler: @escaping Handler) throws {
    let server = Self.makeServer()
    do {
      self.port = try Self.listen(server, port)
    } catch {
      g_object_unref(server)
      throw error
    }
    self.server = server
    self.handler = handler
    self.bodyLimit = bodyLimit
    addHandlers()
  }

  isolated deinit {
    soup_server_disconnect(server)
    for exchange in exchanges.values { exchange.cancel() }
    g_object_unref(server)
  }

  /// Stops listening, cancels all running handlers and waits until they have ended. Connections without a response yet
  /// are closed.
  public func stop() async {
    soup_server_disconnect(server)
    soup_server_remove_handler(server, nil)
    guard !exchanges.isEmpty else { return }
    let wait = whenIdle ?? Wait()
    whenIdle = wait
    for exchange in exchanges.values { exchange.cancel() }
    await wait.value()
  }

  private func receive(_ message: OpaquePointer, _ request: HTTPServerRequest) {
    let exchange = HTTPServerExchange(message, request)
    let id = ObjectIdentifier(exchange)
    exchanges[id] = exchange
    exchange.start(handler) { [weak self] in self?.ended(id) }
  }

  private func ended(_ id: ObjectIdentifier) {
    exchanges[id] = nil
    if exchanges.isEmpty { whenIdle?.finish() }
  }

  private static func makeServer() -> UnsafeMutablePointer<SoupServer> {
    guard let server = g_object_new_with_properties(soup_server_get_type(), 0, nil, nil) else {
      preconditionFailure("libsoup made no server")
    }
    return UnsafeMutableRawPointer(server).assumingMemoryBound(to: SoupServer.self)
  }

  private static func listen(_ server: UnsafeMutablePointer<SoupServer>, _ port: UInt16) throws -> UInt16 {
    let socket = try checked {
      g_socket_new(G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &$0)
    }
    guard let socket else { preconditionFailure("GLib made no socket") }
    defer { g_object_unref(socket) }
    let address = g_inet_socket_address_new_from_string("127.0.0.1", guint(port))
    defer { g_object_unref(address) }
    _ = try checked { g_socket_bind(socket, address, 1, &$0) }
    // libsoup's default backlog of 10 delays further simultaneous clients by a second.
    g_socket_set_listen_backlog(socket, 1024)
    _ = try checked { g_socket_listen(socket, &$0) }
    _ = try checked { soup_server_listen_socket(server, socket, SoupServerListenOptions(rawValue: 0), &$0) }
    return try self.port(of: socket)
  }

  private static func port(of socket: UnsafeMutablePointer<GSocket>) throws -> UInt16 {
    let address = try checked { g_socket_get_local_address(socket, &$0) }
    guard let address else { preconditionFailure("a socket that listens has no address") }
    defer { g_object_unref(address) }
    return address.withMemoryRebound(to: GInetSocketAddress.self, capacity: 1) { g_inet_socket_address_get_port($0) }
  }

  // MARK: libsoup's callbacks

  private typealias Receiver = @GLibActor (OpaquePointer, HTTPServerRequest) -> Void

  private func addHandlers() {
    let limit = CallbackBox(bodyLimit)
    soup_server_add_early_handler(
      server, nil,
      { _, message, _, _, data in
        guard let message else { return }
        GLibActor.assumeIsolated { HTTPServerBodyLimit.apply(CallbackBox<Int>.of(data).closure, to: message) }
      }, limit.retained, CallbackBox<Int>.release)
    let receiver = CallbackBox<Receiver> { [weak self] message, request in self?.receive(message, request) }
    soup_server_add_handler(
      server, nil,
      { _, message, path, query, data in
        guard let message else { return }
        let request = HTTPServerRequest(message, path: path, query: query)
        GLibActor.assumeIsolated { CallbackBox<Receiver>.of(data).closure(message, request) }
      }, receiver.retained, CallbackBox<Receiver>.release)
  }
}

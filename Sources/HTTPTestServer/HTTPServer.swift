// SPDX-License-Identifier: Apache-2.0
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
  /// The longest request body in bytes. A request with a longer one receives status 413.
  private static let bodyLimit = 16 << 20
  private var exchanges: [ObjectIdentifier: HTTPServerExchange] = [:]
  private var whenIdle: Wait?

  /// Starts listening.
  ///
  /// - Parameter port: the port; 0 lets the kernel choose one.
  /// - Throws: ``GLibError`` when the port is in use.
  public init(port: UInt16 = 0, _ handler: @escaping Handler) throws {
    // libsoup's default backlog of 10 delays further simultaneous clients by a second.
    let listening = try LoopbackSocket.listening(port: port, backlog: 1024, reusable: true)
    defer { g_object_unref(listening.socket) }
    guard let server = newObject(soup_server_get_type()) else {
      preconditionFailure("libsoup made no server")
    }
    self.server = UnsafeMutableRawPointer(server).assumingMemoryBound(to: SoupServer.self)
    self.handler = handler
    self.port = listening.port
    try checked {
      soup_server_listen_socket(self.server, listening.socket, SoupServerListenOptions(rawValue: 0), &$0)
    }
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

  private typealias Receiver = @GLibActor (OpaquePointer, HTTPServerRequest) -> Void

  private func addHandlers() {
    soup_server_add_early_handler(
      server, nil,
      { _, message, _, _, _ in
        guard let message else { return }
        GLibActor.assumeIsolated { HTTPServerBodyLimit.apply(HTTPServer.bodyLimit, to: message) }
      }, nil, nil)
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

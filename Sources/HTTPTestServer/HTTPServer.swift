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

  /// Is told of each request after the end of its answer: the status, 0 without an answer, and the time since its
  /// arrival.
  public typealias Log = @GLibActor @Sendable (HTTPServerRequest, Int, Duration) -> Void

  /// The port on which the server listens.
  public let port: UInt16
  private let server: UnsafeMutablePointer<SoupServer>
  private let handler: Handler
  private let log: Log?
  private var exchanges: [ObjectIdentifier: HTTPServerExchange] = [:]
  private var whenIdle: Wait?

  /// Starts listening.
  ///
  /// - Parameter port: the port; 0 lets the kernel choose one.
  /// - Throws: ``GLibError`` when the port is in use.
  public init(port: UInt16 = 0, log: Log? = nil, _ handler: @escaping Handler) throws {
    // libsoup's default backlog of 10 delays further simultaneous clients by a second.
    let listening = try LoopbackSocket.listening(port: port, backlog: 1024, reusable: true)
    defer { g_object_unref(listening.socket) }
    guard let server = newObject(soup_server_get_type()) else {
      preconditionFailure("libsoup made no server")
    }
    self.server = UnsafeMutableRawPointer(server).assumingMemoryBound(to: SoupServer.self)
    self.handler = handler
    self.log = log
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
    let start = ContinuousClock.now
    exchange.start(handler) { [weak self, log] status in
      log?(request, status, ContinuousClock.now - start)
      self?.ended(id)
    }
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
        GLibActor.assumeIsolated { HTTPServer.limitBody(of: message) }
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

/// Rejects request bodies above a limit with status 413, without keeping them in memory.
///
/// A client that sends `Expect: 100-continue` is rejected before it sends the body. Other clients may send all of it,
/// because most of them read no response before that.
extension HTTPServer {
  /// In bytes.
  private static let bodyLimit = 16 << 20

  /// Applies the limit to a message whose head has been received.
  fileprivate static func limitBody(of message: OpaquePointer) {
    let headers = soup_server_message_get_request_headers(message)
    switch soup_message_headers_get_encoding(headers) {
    case SOUP_ENCODING_CONTENT_LENGTH:
      if soup_message_headers_get_content_length(headers) > bodyLimit { refuse(message) }
    case SOUP_ENCODING_CHUNKED: countChunks(of: message)
    default: break
    }
  }

  private static func countChunks(of message: OpaquePointer) {
    typealias Receive = @GLibActor (OpaquePointer?) -> Void
    typealias Callback = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let callback: Callback = { _, chunk, data in
      GLibActor.assumeIsolated { CallbackBox<Receive>.of(data).closure(chunk) }
    }
    var rest = bodyLimit
    let receive: Receive = { chunk in
      rest -= Int(clamping: g_bytes_get_size(chunk))
      if rest < 0 { refuse(message) }
    }
    onSignal("got-chunk", of: message, receive, unsafeBitCast(callback, to: GCallback.self))
  }

  /// libsoup does not call the handler for a message that already has a status.
  private static func refuse(_ message: OpaquePointer) {
    guard soup_server_message_get_status(message) == 0 else { return }
    let body = soup_server_message_get_request_body(message)
    soup_message_body_set_accumulate(body, 0)
    soup_message_body_truncate(body)
    soup_server_message_set_status(message, 413, nil)
    soup_message_headers_replace(soup_server_message_get_response_headers(message), "connection", "close")
    let text = "the body is too long\n"
    soup_server_message_set_response(message, "text/plain", SOUP_MEMORY_COPY, text, gsize(text.utf8.count))
  }
}

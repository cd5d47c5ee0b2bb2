// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup
import GLibBridge

/// One request and its response. The handler's task is cancelled when the client disconnects.
@GLibActor
final class HTTPServerExchange {
  /// The handler, and the watch for the client's disconnect; nil before the start and after the end.
  private var running: (task: Task<Void, Never>, watch: SourceWatch)?
  private let message: OpaquePointer
  private let request: HTTPServerRequest

  init(_ message: OpaquePointer, _ request: HTTPServerRequest) {
    self.message = message
    self.request = request
    g_object_ref(UnsafeMutableRawPointer(message))
  }

  isolated deinit {
    g_object_unref(UnsafeMutableRawPointer(message))
  }

  /// Calls `handler`, sends its response, then calls `ended` with its status, which is 0 if there was none.
  func start(_ handler: @escaping HTTPServer.Handler, ended: @escaping @GLibActor (Int) -> Void) {
    guard let socket = soup_server_message_get_socket(message) else { return ended(0) }
    soup_server_message_pause(message)
    let watch = SourceWatch.peer(of: socket) { [weak self] in self?.cancel() }
    let task = Task.onGLib {
      await run(handler)
      running = nil
      ended(Int(soup_server_message_get_status(message)))
    }
    running = (task, watch)
  }

  func cancel() {
    running?.task.cancel()
  }

  private func run(_ handler: HTTPServer.Handler) async {
    do {
      switch try await handler(request) {
      case .whole(let response): send(response)
      case .stream(let head, _) where request.method == "HEAD": send(head)
      case .stream(let head, let write): await stream(head, write)
      case .webSocket(let headers, let body): await upgrade(headers, body)
      case .drop: openStream()?.abort()
      }
    } catch {
      send(HTTPServerResponse(status: 500, type: "text/plain", "internal error\n"))
    }
  }

  private func send(_ response: HTTPServerResponse) {
    guard !Task.isCancelled, let watch = running?.watch else {
      openStream()?.abort()
      return
    }
    // From here on libsoup owns the socket and may close it.
    watch.cancel()
    setHead(response)
    if !response.body.isEmpty {
      let bytes = g_bytes_new(response.body, gsize(response.body.count))
      soup_message_body_append_bytes(soup_server_message_get_response_body(message), bytes)
      g_bytes_unref(bytes)
    }
    soup_server_message_unpause(message)
  }

  private func stream(
    _ head: HTTPServerResponse, _ write: @GLibActor (HTTPServerStream) async throws -> Void
  ) async {
    let isChunked = soup_server_message_get_http_version(message) != SOUP_HTTP_1_0
    setHead(head)
    if isChunked {
      let headers = soup_server_message_get_response_headers(message)
      soup_message_headers_replace(headers, "transfer-encoding", "chunked")
    }
    let text = headText(status: head.status)
    guard let stream = openStream(isChunked: isChunked) else { return }
    do {
      try await stream.send(Array(text.utf8))
      try await write(stream)
      try await stream.finish()
    } catch {
      stream.abort()
    }
  }

  private func upgrade(
    _ headers: [(name: String, value: String)], _ body: @GLibActor (HTTPServerWebSocket) async throws -> Void
  ) async {
    guard let watch = running?.watch else { return }
    guard soup_websocket_server_process_handshake(message, nil, nil, nil, nil) != 0 else {
      // libsoup has set the error response.
      watch.cancel()
      return soup_server_message_unpause(message)
    }
    setFields(headers)
    let head = headText(status: 101)
    guard let stream = openStream() else { return }
    do {
      try await stream.send(Array(head.utf8))
      let (connection, transport) = stream.detach()
      let socket = HTTPServerWebSocket(message, connection: connection, socket: transport, peerWatch: watch) {
        [weak self] in self?.cancel()
      }
      do {
        try await body(socket)
        socket.close()
      } catch {
        socket.abort()
      }
    } catch {
      stream.abort()
    }
  }

  /// Takes the connection from libsoup, which does nothing more in this exchange; nil when the connection is closed.
  private func openStream(isChunked: Bool = false) -> HTTPServerStream? {
    guard let watch = running?.watch, let socket = soup_server_message_get_socket(message) else { return nil }
    g_object_ref(socket)
    guard let connection = soup_server_message_steal_connection(message) else {
      g_object_unref(socket)
      return nil
    }
    return HTTPServerStream(connection: connection, socket: socket, peerWatch: watch, isChunked: isChunked)
  }

  private func setHead(_ head: HTTPServerResponse) {
    soup_server_message_set_status(message, guint(clamping: head.status), Self.reasons[head.status])
    let headers = soup_server_message_get_response_headers(message)
    soup_message_headers_replace(headers, "connection", "close")
    setFields(head.headers)
  }

  private func setFields(_ fields: [(name: String, value: String)]) {
    let headers = soup_server_message_get_response_headers(message)
    for (name, value) in fields where Self.isAllowed(name, value) {
      soup_message_headers_replace(headers, name, value)
    }
  }

  private func headText(status: Int) -> String {
    let reason = soup_server_message_get_reason_phrase(message).map { String(cString: $0) } ?? ""
    var text = "HTTP/1.1 \(status) \(reason)\r\n"
    let fields = HTTPHeaders(soup_server_message_get_response_headers(message))
    for name in fields.names { text += "\(name): \(fields[name] ?? "")\r\n" }
    return text + "\r\n"
  }

  /// Reason phrases that libsoup lacks.
  private static let reasons = [426: "Upgrade Required", 429: "Too Many Requests"]

  /// Whether a header field is valid. libsoup logs a critical warning for an invalid one.
  private static func isAllowed(_ name: String, _ value: String) -> Bool {
    let isToken = name.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
    let isLine = value.utf8.allSatisfy { ($0 >= 32 && $0 != 127) || $0 == 9 }
    let isOurs = !["content-length", "transfer-encoding", "connection"].contains(name.lowercased())
    return !name.isEmpty && isToken && isLine && isOurs
  }
}

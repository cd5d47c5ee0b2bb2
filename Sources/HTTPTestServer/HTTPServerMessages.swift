// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup
import GLibBridge

/// A request whose head and body ``HTTPServer`` has received.
public struct HTTPServerRequest: Sendable {
  /// The method, such as `POST`.
  public let method: String
  /// The path, percent-decoded, without the query.
  public let path: String
  /// The parameters of the query. Of equal names the last value is kept.
  public let query: [String: String]
  /// The header fields.
  public let headers: HTTPHeaders
  /// The body, empty when there is none.
  public let body: [UInt8]

  /// The fields of an HTML form; nil when the body has another media type.
  public var form: [String: String]? {
    guard mediaType == "application/x-www-form-urlencoded" else { return nil }
    let table = soup_form_decode(String(decoding: body, as: UTF8.self))
    defer { if let table { g_hash_table_unref(table) } }
    return [String: String](copying: table)
  }

  /// Whether the client requests an upgrade to WebSocket.
  public var asksForWebSocket: Bool { headers["upgrade"]?.lowercased() == "websocket" }

  /// The media type of the body in lower case, without parameters; nil when the request has none.
  public var mediaType: String? {
    guard let type = headers["content-type"]?.split(separator: ";").first else { return nil }
    return type.filter { $0 != " " && $0 != "\t" }.lowercased()
  }
}

extension HTTPServerRequest {
  /// Copies a message that libsoup has received completely.
  init(_ message: OpaquePointer?, path: UnsafePointer<CChar>?, query: OpaquePointer?) {
    method = soup_server_message_get_method(message).map { String(cString: $0) } ?? ""
    self.path = path.map { String(cString: $0) } ?? "/"
    self.query = [String: String](copying: query)
    headers = HTTPHeaders(soup_server_message_get_request_headers(message))
    let content = soup_message_body_flatten(soup_server_message_get_request_body(message))
    defer { g_bytes_unref(content) }
    var count: gsize = 0
    let start = g_bytes_get_data(content, &count)
    body = [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
  }
}

/// The result of a handler of ``HTTPServer``.
public enum HTTPServerAnswer: Sendable {
  /// A complete response.
  case whole(HTTPServerResponse)
  /// The head of a streamed response, a response without a body, and a function that writes its body.
  ///
  /// The body ends when the function returns. The connection is closed when it throws. Its task is cancelled when the
  /// client disconnects.
  case stream(HTTPServerResponse, @GLibActor @Sendable (HTTPServerStream) async throws -> Void)
  /// An upgrade to WebSocket: additional header fields, and a function that uses the socket.
  ///
  /// The socket is closed with a close frame when the function returns, and without one when it throws. Its task is
  /// cancelled when the client disconnects. An invalid handshake receives status 400.
  case webSocket(
    headers: [(name: String, value: String)], @GLibActor @Sendable (HTTPServerWebSocket) async throws -> Void)
  /// No response: the connection is closed.
  case drop
}

/// A complete response. What checks a request throws the one that refuses it.
public struct HTTPServerResponse: Error {
  /// The status code, such as 200.
  public var status: Int
  /// The header fields, in the order in which they are sent. Of equal names the last one is sent. Invalid fields are
  /// dropped. The server sets the length and the transfer encoding itself.
  public var headers: [(name: String, value: String)]
  /// The body, which may be empty.
  public var body: [UInt8]

  /// Creates a response.
  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response with a body of the given media type.
  public init(status: Int, type: String, _ body: String, headers: [(name: String, value: String)] = []) {
    self.init(status: status, headers: [("content-type", type)] + headers, body: Array(body.utf8))
  }
}

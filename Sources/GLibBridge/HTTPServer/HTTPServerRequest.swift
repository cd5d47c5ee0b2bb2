import CGLib
import CLibsoup

/// A request that ``HTTPServer`` has read to its end.
public struct HTTPServerRequest: Sendable {
  /// The method, such as `POST`.
  public let method: String
  /// The path, percent-decoded, without the query.
  public let path: String
  /// The fields of the query. A field that is given twice has its last value.
  public let query: [String: String]
  /// The header fields.
  public let headers: HTTPHeaders
  /// The body, empty when there is none.
  public let body: [UInt8]

  /// The fields of a body that is an HTML form, nil for any other body.
  public var form: [String: String]? {
    guard mediaType == "application/x-www-form-urlencoded" else { return nil }
    let table = soup_form_decode(String(decoding: body, as: UTF8.self))
    defer { if let table { g_hash_table_unref(table) } }
    return Self.strings(of: table)
  }

  /// Whether the client wants to change over to WebSocket.
  public var asksForWebSocket: Bool { headers["upgrade"]?.lowercased() == "websocket" }

  /// The media type of the body in lower case, without parameters; nil when the request names none.
  public var mediaType: String? {
    guard let type = headers["content-type"]?.split(separator: ";").first else { return nil }
    return type.filter { $0 != " " && $0 != "\t" }.lowercased()
  }
}

extension HTTPServerRequest {
  /// Reads a message that libsoup has read to its end.
  init(_ message: OpaquePointer?, path: UnsafePointer<CChar>?, query: OpaquePointer?) {
    method = soup_server_message_get_method(message).map { String(cString: $0) } ?? ""
    self.path = path.map { String(cString: $0) } ?? "/"
    self.query = Self.strings(of: query)
    headers = Self.headers(soup_server_message_get_request_headers(message))
    body = Self.bytes(soup_server_message_get_request_body(message))
  }

  /// The header fields of one side of a message.
  static func headers(_ pointer: OpaquePointer?) -> HTTPHeaders {
    var headers = HTTPHeaders()
    var iterator = SoupMessageHeadersIter()
    soup_message_headers_iter_init(&iterator, pointer)
    var name: UnsafePointer<CChar>?
    var value: UnsafePointer<CChar>?
    while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
      guard let name, let value else { continue }
      headers.append(String(cString: name), String(cString: value))
    }
    return headers
  }

  private static func bytes(_ body: UnsafeMutablePointer<SoupMessageBody>?) -> [UInt8] {
    guard let body else { return [] }
    let flat = soup_message_body_flatten(body)
    defer { g_bytes_unref(flat) }
    var count: gsize = 0
    guard let data = g_bytes_get_data(flat, &count) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: data, count: Int(count)))
  }

  private static func strings(of table: OpaquePointer?) -> [String: String] {
    guard let table else { return [:] }
    var strings: [String: String] = [:]
    var iterator = GHashTableIter()
    g_hash_table_iter_init(&iterator, table)
    var key: gpointer?
    var value: gpointer?
    while g_hash_table_iter_next(&iterator, &key, &value) != 0 {
      guard let key, let value else { continue }
      strings[String(cString: key.assumingMemoryBound(to: CChar.self))] =
        String(cString: value.assumingMemoryBound(to: CChar.self))
    }
    return strings
  }
}

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
    body = Self.bytes(soup_server_message_get_request_body(message))
  }

  private static func bytes(_ body: UnsafeMutablePointer<SoupMessageBody>?) -> [UInt8] {
    guard let body else { return [] }
    let flat = soup_message_body_flatten(body)
    defer { g_bytes_unref(flat) }
    var count: gsize = 0
    guard let data = g_bytes_get_data(flat, &count) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: data, count: Int(count)))
  }
}

// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup
import SecretMemory

/// A request for ``HTTPSession``.
public struct HTTPRequest: Sendable {
  public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// The value of a header field.
  public enum FieldValue: Sendable {
    case plain(String)
    /// `prefix` followed by a secret, which stays in guarded memory until libsoup sends it.
    case secret(prefix: String, SecretBytes)
  }

  public enum Body: Sendable {
    case bytes([UInt8])
    /// A secret, which stays in guarded memory and is wiped with it.
    case secret(SecretBytes)
  }

  public var method: Method
  public var url: String
  public var headers: [(name: String, value: FieldValue)] = []
  public var body: Body?
  public var contentType: String?
  /// Called when the connection stands, before the first byte of the request leaves. A request that fails before has not
  /// reached the server.
  public var willSend: (@GLibActor @Sendable () -> Void)?

  public init(_ method: Method, _ url: String) {
    self.method = method
    self.url = url
  }

  public mutating func setHeader(_ name: String, _ value: String) {
    headers.append((name, .plain(value)))
  }

  public mutating func setHeader(_ name: String, prefix: String, secret: SecretBytes) {
    headers.append((name, .secret(prefix: prefix, secret)))
  }
}

/// The header fields of a message. Names are case-insensitive.
public struct HTTPHeaders: Sendable {
  private var fields: [(name: String, value: String)] = []

  public init() {}

  public mutating func append(_ name: String, _ value: String) {
    fields.append((name.lowercased(), value))
  }

  /// The first value of `name`.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name == name }?.value
  }

  /// The names in lower case, in order of arrival.
  public var names: [String] { fields.map(\.name) }

  /// Copies libsoup's header fields.
  package init(_ pointer: OpaquePointer?) {
    var iterator = SoupMessageHeadersIter()
    soup_message_headers_iter_init(&iterator, pointer)
    var name: UnsafePointer<CChar>?
    var value: UnsafePointer<CChar>?
    while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
      guard let name, let value else { continue }
      append(String(cString: name), String(cString: value))
    }
  }
}

/// Dates in HTTP headers.
public enum HTTPDate {
  /// The Unix time in seconds of an HTTP date, in any of its three formats; nil for other text.
  public static func unixSeconds(_ text: String) -> Int64? {
    guard let date = soup_date_time_new_from_http_string(text) else { return nil }
    defer { g_date_time_unref(date) }
    return Int64(g_date_time_to_unix(date))
  }

  /// The HTTP date of a Unix time in seconds; nil for a year after 9999.
  public static func text(_ unixSeconds: Int64) -> String? {
    guard let date = g_date_time_new_from_unix_utc(gint64(unixSeconds)) else { return nil }
    defer { g_date_time_unref(date) }
    return takeString(soup_date_time_to_string(date, SOUP_DATE_HTTP))
  }
}

import CGLib
import CLibsoup

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
}

extension HTTPHeaders {
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
    guard let text = soup_date_time_to_string(date, SOUP_DATE_HTTP) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }
}

import CGLib

/// An absolute URL, read by GLib.
public struct ParsedURL: Sendable {
  public let scheme: String
  public let host: String?
  public let hasCredentials: Bool

  /// Nil when `text` is not an absolute URL.
  public init?(_ text: String) {
    guard let uri = g_uri_parse(text, G_URI_FLAGS_NONE, nil) else { return nil }
    defer { g_uri_unref(uri) }
    scheme = String(cString: g_uri_get_scheme(uri)).lowercased()
    host = g_uri_get_host(uri).map { String(cString: $0).lowercased() }
    hasCredentials = g_uri_get_userinfo(uri) != nil
  }
}

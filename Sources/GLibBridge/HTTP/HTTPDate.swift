import CGLib
import CLibsoup

/// Dates in HTTP headers.
public enum HTTPDate {
  /// The Unix time in seconds of an HTTP date, in any of its three formats; nil for other text.
  public static func unixSeconds(_ text: String) -> Int64? {
    guard let date = soup_date_time_new_from_http_string(text) else { return nil }
    defer { g_date_time_unref(date) }
    return Int64(g_date_time_to_unix(date))
  }
}

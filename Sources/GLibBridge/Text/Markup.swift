import CGLib

/// Escaping for Pango markup and HTML.
public enum Markup {
  /// Markup that displays `text`.
  public static func escaped(_ text: String) -> String {
    let escaped = g_markup_escape_text(text.withoutZeros, -1)
    defer { g_free(escaped) }
    return escaped.map { String(cString: $0) } ?? ""
  }
}

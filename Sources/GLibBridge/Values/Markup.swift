import CGLib

/// Text in markup, such as the body of a notification and HTML.
public enum Markup {
  /// `text` as markup that shows it.
  public static func escaped(_ text: String) -> String {
    let escaped = g_markup_escape_text(text.withoutZeros, -1)
    defer { g_free(escaped) }
    return escaped.map { String(cString: $0) } ?? ""
  }
}

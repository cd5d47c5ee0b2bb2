import Platform

extension String {
  /// This untrusted text, made safe for a notification: at most `limit` characters and no invisible ones, so that it
  /// cannot pass for something else.
  func shown(limit: Int) -> String {
    let scalars = unicodeScalars.map { $0 == " " || $0.isSeen ? $0 : "\u{FFFD}" }
    let text = String(String.UnicodeScalarView(scalars))
    return text.count > limit ? text.prefix(limit - 1) + "…" : text
  }
}

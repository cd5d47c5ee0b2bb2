extension String {
  /// This untrusted text, made safe for a notification: at most `limit` characters and no invisible ones, so that it
  /// cannot pass for something else.
  func shown(limit: Int) -> String {
    let scalars = unicodeScalars.map { Self.isInvisible($0) ? "\u{FFFD}" : $0 }
    let text = String(String.UnicodeScalarView(scalars))
    return text.count > limit ? text.prefix(limit - 1) + "…" : text
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }
}

extension String {
  /// This text as a notification may show it where somebody else has written it: at most `limit` characters, and
  /// none of them invisible, so that it cannot pass for more than it is.
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

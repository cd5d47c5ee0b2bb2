extension Unicode.Scalar {
  /// Whether a person sees the character, and sees it in its true place. No space is seen.
  public var isSeen: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .unassigned, .surrogate:
      false
    default:
      // U+2800 is a braille pattern without dots: it is as wide as others but invisible.
      !properties.isDefaultIgnorableCodePoint && self != "\u{2800}"
    }
  }
}

extension String {
  /// This name, chosen by a program, without the characters that nobody sees: at most `limit` Unicode scalars, words
  /// with one space between them.
  public func visibleName(limit: Int = 64) -> String {
    let words = unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
      .map { String(String.UnicodeScalarView($0.filter(\.isSeen))) }.filter { !$0.isEmpty }
    let scalars = words.joined(separator: " ").unicodeScalars.prefix(limit)
    return String(String.UnicodeScalarView(scalars))
  }
}

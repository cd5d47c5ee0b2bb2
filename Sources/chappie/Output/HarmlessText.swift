extension String {
  /// This text with a sign in place of each character that a terminal would obey, or that reorders what is read; line
  /// ends and tabs stay.
  var harmless: String {
    var scalars = String.UnicodeScalarView()
    for scalar in replacing("\r\n", with: "\n").unicodeScalars { scalars.append(Self.harmless(scalar)) }
    return String(scalars)
  }

  /// The same on one line.
  var harmlessLine: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ").harmless
  }

  private static func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x09, 0x0A: scalar
    // Unicode has a picture for each of these.
    case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    case 0x80...0x9F, 0x2028...0x202E, 0x2066...0x2069: "\u{FFFD}"
    default: scalar
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
extension String {
  /// This text with each control character and each character that reorders text replaced by a visible symbol. Line
  /// feeds and tabs stay.
  public var terminalSafe: String {
    String(String.UnicodeScalarView(replacing("\r\n", with: "\n").unicodeScalars.lazy.map(Self.terminalSafe)))
  }

  /// This text on one line, with invisible characters replaced as well. Use it for names and sentences from other
  /// programs, so that they cannot begin a line of their own or hide text.
  public var terminalSafeLine: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ").terminalSafeCell
  }

  /// As ``terminalSafeLine``, but without collapsing spaces.
  public var terminalSafeCell: String {
    let scalars = unicodeScalars.lazy.map { scalar in
      scalar == "\t" || scalar == "\n" ? " " : Self.isHidden(scalar) ? "\u{FFFD}" : Self.terminalSafe(scalar)
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .format: scalar.isInvisible
    case .privateUse, .unassigned, .surrogate: true
    default: false
    }
  }

  /// This JSON text with an equivalent JSON escape for each character that ``terminalSafe`` would replace. It decodes
  /// to the same values.
  public var terminalSafeJSON: String {
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      // JSON contains these characters in strings only, except for a carriage return between tokens.
      if scalar == "\r" {
        scalars.append(" ")
      } else if scalar.properties.isBidiControl || Self.terminalSafe(scalar) != scalar {
        // Appended one by one: appending a collection would copy the whole text each time.
        for sign in Self.escaped(scalar).unicodeScalars { scalars.append(sign) }
      } else {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// All characters that are escaped have at most four hexadecimal digits.
  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func terminalSafe(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x09, 0x0A: scalar
    // U+2400 to U+241F are the symbols for these control characters.
    case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    case 0x80...0x9F, 0x2028...0x202E, 0x2066...0x2069: "\u{FFFD}"
    default: scalar
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character only changes how others are shown, such as their direction, or hides between them. U+200C
  /// and U+200D do not count: they join letters in some scripts, and emoji.
  public var isInvisible: Bool {
    properties.generalCategory == .format && self != "\u{200C}" && self != "\u{200D}"
  }

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

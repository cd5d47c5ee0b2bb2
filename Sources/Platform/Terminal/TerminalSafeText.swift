extension String {
  /// This text with a sign in place of each character that a terminal would obey, or that reorders what is read; line
  /// ends and tabs stay.
  public var terminalSafe: String {
    var scalars = String.UnicodeScalarView()
    for scalar in replacing("\r\n", with: "\n").unicodeScalars { scalars.append(Self.terminalSafe(scalar)) }
    return String(scalars)
  }

  /// The same on one line, and with a sign also for what nobody sees: a name, or a sentence of somebody else's, that
  /// begins no line of its own and hides nothing.
  public var terminalSafeLine: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ").terminalSafeCell
  }

  /// The same with its spaces as they are.
  public var terminalSafeCell: String {
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "\t", "\n": scalars.append(" ")
      default: scalars.append(Self.isHidden(scalar) ? "\u{FFFD}" : Self.terminalSafe(scalar))
      }
    }
    return String(scalars)
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    // Those two join the letters of some languages, and signs to emoji.
    case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
    case .privateUse, .unassigned, .surrogate: true
    default: false
    }
  }

  /// This JSON, which is as it was for a program, with an escape in place of each such character.
  public var terminalSafeJSON: String {
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      // JSON has none of these but in strings, and a carriage return between them.
      if scalar == "\r" {
        scalars.append(" ")
      } else if scalar.properties.isBidiControl || Self.terminalSafe(scalar) != scalar {
        // One by one: appended together, they would have all that is before them copied.
        for sign in Self.escaped(scalar).unicodeScalars { scalars.append(sign) }
      } else {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// All of them have four digits at most.
  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func terminalSafe(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
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

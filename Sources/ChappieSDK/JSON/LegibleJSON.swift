// SPDX-License-Identifier: Apache-2.0
import Platform

/// JSON text for a person who decides about it: it shows the content and hides nothing.
///
/// The space between tokens is one space or none. A string shows its visible characters, and escapes for invisible
/// ones: `\u0072m` is shown as `rm`, and a character that changes the reading direction as `\u202e`. Repeated keys and
/// numbers are shown as written, because parsers differ in their reading of them.
package struct LegibleJSON: Sendable, Hashable {
  /// The text, on one line.
  package let text: String
  /// Whether a string has a run of spaces that could push the text after it out of sight.
  package let hasGaps: Bool

  /// The shortest run of spaces that is a gap.
  private static let gap = "    "

  package init(_ json: String) {
    var reader = Reader(rest: json.unicodeScalars[...])
    reader.read()
    text = reader.legible
    // Outside of strings there is one space at most.
    hasGaps = text.utf8.contains(Self.gap.utf8)
  }

  private struct Reader {
    var rest: String.UnicodeScalarView.SubSequence
    var legible = ""

    mutating func read() {
      var (isInString, isBehindSpace) = (false, false)
      while let scalar = rest.popFirst() {
        if !isInString, scalar.properties.isWhitespace {
          isBehindSpace = !legible.isEmpty
          continue
        }
        if isBehindSpace { add(" ") }
        isBehindSpace = false
        if scalar == "\"" { isInString.toggle() }
        if isInString, scalar == "\\" { readEscape() } else { show(scalar) }
      }
    }

    private mutating func readEscape() {
      switch rest.popFirst() {
      case "/": show("/")
      case "u": readCharacter()
      case let kind:
        add("\\")
        if let kind { show(kind) }
      }
    }

    private mutating func readCharacter() {
      guard let unit = readUnit() else { return add("\\u") }
      var scalar = Unicode.Scalar(unit)
      let behind = rest
      if UTF16.isLeadSurrogate(unit), rest.popFirst() == "\\", rest.popFirst() == "u", let second = readUnit(),
        UTF16.isTrailSurrogate(second)
      {
        scalar = UTF16.decode(UTF16.EncodedScalar([unit, second]))
      } else {
        rest = behind
      }
      switch scalar {
      case let scalar? where scalar == "\"" || scalar == "\\": add("\\\(scalar)")
      case let scalar?: show(scalar)
      case nil: add(Self.escape(UInt32(unit)))
      }
    }

    private mutating func readUnit() -> UInt16? {
      let digits = rest.prefix(4)
      guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
        let unit = UInt16(String(digits), radix: 16)
      else { return nil }
      rest = rest.dropFirst(4)
      return unit
    }

    private mutating func show(_ scalar: Unicode.Scalar) {
      add(scalar == " " || scalar.isSeen ? String(scalar) : Self.escape(scalar.value))
    }

    private mutating func add(_ text: String) {
      legible += text
    }

    private static func escape(_ value: UInt32) -> String {
      let digits = String(value, radix: 16)
      return digits.count > 4 ? "\\u{\(digits)}" : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}

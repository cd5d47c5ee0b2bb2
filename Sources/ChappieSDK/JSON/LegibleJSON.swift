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

  /// The longest run of spaces that is not a gap.
  private static let longestRun = 3

  package init(_ json: String) {
    var reader = Reader(rest: json.unicodeScalars[...])
    reader.read()
    text = String(reader.legible)
    hasGaps = reader.longestRun > Self.longestRun
  }

  private struct Reader {
    var rest: String.UnicodeScalarView.SubSequence
    var legible = String.UnicodeScalarView()
    var longestRun = 0
    var run = 0

    mutating func read() {
      var isBehindSpace = false
      while let scalar = rest.popFirst() {
        if scalar.properties.isWhitespace {
          isBehindSpace = true
          continue
        }
        if isBehindSpace, !legible.isEmpty { legible.append(" ") }
        isBehindSpace = false
        if scalar == "\"" { readString() } else { show(scalar) }
      }
    }

    private mutating func readString() {
      legible.append("\"")
      while let scalar = rest.popFirst() {
        switch scalar {
        case "\"":
          legible.append("\"")
          run = 0
          return
        case "\\": readEscape()
        default: show(scalar)
        }
      }
    }

    private mutating func readEscape() {
      guard let kind = rest.popFirst() else { return add("\\") }
      switch kind {
      case "/": show("/")
      case "u":
        guard let unit = readUnit() else { return add("\\u") }
        if let scalar = Unicode.Scalar(unit) { return showEscaped(scalar) }
        // The first half of a surrogate pair.
        let behind = rest
        if rest.popFirst() == "\\", rest.popFirst() == "u", let second = readUnit(),
          let scalar = UTF16.isLeadSurrogate(unit) && UTF16.isTrailSurrogate(second)
            ? UTF16.decode(UTF16.EncodedScalar([unit, second])) : nil
        {
          return showEscaped(scalar)
        }
        rest = behind
        add(Self.escape(UInt32(unit)))
      default:
        add("\\")
        show(kind)
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

    private mutating func showEscaped(_ scalar: Unicode.Scalar) {
      if scalar == "\"" || scalar == "\\" { add("\\\(scalar)") } else { show(scalar) }
    }

    private mutating func show(_ scalar: Unicode.Scalar) {
      if scalar == " " {
        run += 1
        longestRun = max(longestRun, run)
        legible.append(scalar)
      } else {
        add(scalar.isSeen ? String(scalar) : Self.escape(scalar.value))
      }
    }

    private mutating func add(_ text: String) {
      run = 0
      for scalar in text.unicodeScalars { legible.append(scalar) }
    }

    private static func escape(_ value: UInt32) -> String {
      UTF16.width(Unicode.Scalar(value) ?? "?") == 2
        ? "\\u{\(String(value, radix: 16))}"
        : "\\u" + String(repeating: "0", count: max(0, 4 - String(value, radix: 16).count)) + String(value, radix: 16)
    }
  }
}

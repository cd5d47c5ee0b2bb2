// SPDX-License-Identifier: Apache-2.0
import CGLib

extension Character {
  /// Whether a line may end before this character when `previous` comes before it and there is no space between: in
  /// Chinese and Japanese text it may nearly everywhere.
  public func mayBeginLine(after previous: Character) -> Bool {
    guard !isASCII || !previous.isASCII, let first = unicodeScalars.first, let last = previous.unicodeScalars.last,
      g_unichar_iswide(first.value) != 0 || g_unichar_iswide(last.value) != 0
    else { return false }
    return !Self.sticksToPrevious(first) && !Self.sticksToNext(last)
  }

  private static func sticksToPrevious(_ scalar: Unicode.Scalar) -> Bool {
    switch g_unichar_break_type(scalar.value) {
    case G_UNICODE_BREAK_CLOSE_PUNCTUATION, G_UNICODE_BREAK_CLOSE_PARENTHESIS, G_UNICODE_BREAK_NON_STARTER,
      G_UNICODE_BREAK_CONDITIONAL_JAPANESE_STARTER, G_UNICODE_BREAK_EXCLAMATION, G_UNICODE_BREAK_INFIX_SEPARATOR,
      G_UNICODE_BREAK_SYMBOL, G_UNICODE_BREAK_POSTFIX, G_UNICODE_BREAK_NON_BREAKING_GLUE,
      G_UNICODE_BREAK_COMBINING_MARK, G_UNICODE_BREAK_QUOTATION:
      true
    default: false
    }
  }

  private static func sticksToNext(_ scalar: Unicode.Scalar) -> Bool {
    switch g_unichar_break_type(scalar.value) {
    case G_UNICODE_BREAK_OPEN_PUNCTUATION, G_UNICODE_BREAK_PREFIX, G_UNICODE_BREAK_NON_BREAKING_GLUE,
      G_UNICODE_BREAK_QUOTATION:
      true
    default: false
    }
  }
}

extension Character {
  /// The width of the character in terminal columns.
  public var columns: Int {
    isASCII ? 1 : unicodeScalars.map(Self.columns).max() ?? 0
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    if g_unichar_iszerowidth(scalar.value) != 0 { return 0 }
    return g_unichar_iswide(scalar.value) != 0 ? 2 : 1
  }
}

extension StringProtocol {
  /// The width of the text in terminal columns, on one line.
  public var columns: Int { reduce(0) { $0 + $1.columns } }
}

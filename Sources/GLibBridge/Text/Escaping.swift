// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Quoting for shell commands.
public enum ShellText {
  /// `text` as one word of a shell command, quoted when necessary.
  public static func quoted(_ text: String) -> String {
    guard text.isEmpty || text.hasPrefix("-") || text.utf8.contains(where: { !isPlain($0) }) else { return text }
    let quoted = g_shell_quote(text)
    defer { g_free(quoted) }
    return quoted.map { String(cString: $0) } ?? ""
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "@"):
      true
    default: false
    }
  }
}

/// Escaping for Pango markup and HTML.
public enum Markup {
  /// Markup that displays `text`.
  public static func escaped(_ text: String) -> String {
    let escaped = g_markup_escape_text(text.withoutZeros, -1)
    defer { g_free(escaped) }
    return escaped.map { String(cString: $0) } ?? ""
  }
}

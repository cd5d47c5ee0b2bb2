// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Base64, by GLib.
public enum Base64 {
  /// Whether each byte may occur. A look-up in a set would take seconds for megabytes.
  private static let alphabet: [Bool] = {
    let characters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".utf8)
    return (0...UInt8.max).map(characters.contains)
  }()

  public static func encode(_ bytes: [UInt8]) -> String {
    takeString(g_base64_encode(bytes, gsize(bytes.count))) ?? ""
  }

  /// Decodes padded base64; nil for any other text.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    // Arrays, since generic code takes many times longer here.
    let bytes = Array(text)
    guard bytes.count % 4 == 0, bytes.allSatisfy({ alphabet[Int($0)] }) else { return nil }
    var length: gsize = 0
    let decoded = g_base64_decode(bytes.map { CChar(bitPattern: $0) } + [0], &length)
    defer { g_free(decoded) }
    return Array(UnsafeBufferPointer(start: decoded, count: Int(length)))
  }
}

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5).
public enum Base64URL {
  public static func encode(_ bytes: [UInt8]) -> String {
    Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Nil for any other text.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var base64 = Array(text)
    for index in base64.indices {
      switch base64[index] {
      case UInt8(ascii: "-"): base64[index] = UInt8(ascii: "+")
      case UInt8(ascii: "_"): base64[index] = UInt8(ascii: "/")
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
      default: break
      }
    }
    return Base64.decode(base64 + Array(repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4))
  }
}

/// Percent-encoding (RFC 3986), by GLib.
public enum PercentEncoding {
  public static func encode(_ text: String) -> String { takeString(g_uri_escape_string(text, nil, 0)) ?? "" }

  /// Nil for text that is not encoded well, or has an encoded zero.
  public static func decode(_ text: String) -> String? { takeString(g_uri_unescape_string(text, nil)) }
}

/// Unique identifiers.
public enum UniqueID {
  /// A random UUID in lower case.
  public static func make() -> String { takeString(g_uuid_string_random()) ?? "" }
}

/// Quoting for shell commands.
public enum ShellText {
  private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._@".utf8)

  /// `text` as one word of a shell command, quoted when necessary.
  public static func quoted(_ text: String) -> String {
    guard text.isEmpty || text.hasPrefix("-") || !text.utf8.allSatisfy(plain.contains) else { return text }
    return takeString(g_shell_quote(text)) ?? ""
  }
}

/// Escaping for Pango markup and HTML.
public enum Markup {
  /// Markup that displays `text`.
  public static func escaped(_ text: String) -> String {
    takeString(g_markup_escape_text(text.withoutZeros, -1)) ?? ""
  }
}

/// The order of texts for people.
extension String {
  /// Whether this text comes before another one in a list. A letter with an accent stands beside the one without, in
  /// upper and lower case.
  package func precedesInLists(_ other: String) -> Bool {
    listKey.utf8.lexicographicallyPrecedes(other.listKey.utf8)
  }

  private var listKey: String {
    // Decomposed, an accent follows its letter.
    takeString(g_utf8_normalize(self, -1, G_NORMALIZE_ALL)).flatMap { takeString(g_utf8_casefold($0, -1)) } ?? self
  }
}

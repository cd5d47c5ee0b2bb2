// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Base64, by GLib.
public enum Base64 {
  public static func encode(_ bytes: [UInt8]) -> String {
    let text = g_base64_encode(bytes, gsize(bytes.count))
    defer { g_free(text) }
    return text.map { String(cString: $0) } ?? ""
  }

  /// Decodes padded base64; nil for any other text.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    let characters = Array(text)
    guard characters.count % 4 == 0, characters.allSatisfy(isInAlphabet) else { return nil }
    var length: gsize = 0
    let decoded = (characters + [0]).withUnsafeBytes {
      g_base64_decode($0.bindMemory(to: CChar.self).baseAddress, &length)
    }
    defer { g_free(decoded) }
    return Array(UnsafeBufferPointer(start: decoded, count: Int(length)))
  }

  private static func isInAlphabet(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}

/// Unique identifiers.
public enum UniqueID {
  /// A random UUID in lower case.
  public static func make() -> String {
    let text = g_uuid_string_random()
    defer { g_free(text) }
    return text.map { String(cString: $0) } ?? ""
  }
}

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5).
public enum Base64URL {
  public static func encode(_ bytes: [UInt8]) -> String {
    let text = Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }
    return String(decoding: text.map(toURL), as: UTF8.self)
  }

  /// Nil for any other text.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard !text.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
    let base64 = text.map(fromURL)
    return Base64.decode(base64 + Array(repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4))
  }

  private static func toURL(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: byte
    }
  }

  private static func fromURL(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: byte
    }
  }
}

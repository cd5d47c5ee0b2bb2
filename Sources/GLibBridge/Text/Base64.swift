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

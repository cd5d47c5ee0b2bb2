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

/// Mends the escapes of JSON that JSON-GLib cannot read.
enum JSONEscapes {
  /// `json` with `\ufffd` instead of `\u0000` and of each half of a surrogate pair that stands alone.
  static func mended(_ json: [UInt8]) -> [UInt8] {
    var bytes = json
    var index = 0
    while let backslash = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) {
      index = backslash + 2
      guard let unit = unit(bytes, backslash) else { continue }
      if UTF16.isLeadSurrogate(unit), let next = self.unit(bytes, backslash + 6), UTF16.isTrailSurrogate(next) {
        index = backslash + 12
      } else if unit == 0 || UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) {
        bytes.replaceSubrange((backslash + 2)..<(backslash + 6), with: "fffd".utf8)
      }
    }
    return bytes
  }

  /// The number in the `\uXXXX` at `start`; nil for anything else.
  private static func unit(_ bytes: [UInt8], _ start: Int) -> UInt16? {
    guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return UInt16(String(decoding: bytes[(start + 2)..<(start + 6)], as: UTF8.self), radix: 16)
  }
}

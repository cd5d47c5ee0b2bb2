import SecretMemory

/// Decodes the content of a JSON string.
enum JSONText {
  /// The text of the string content at `range`. Bytes that are not UTF-8, lone surrogates and U+0000, which no
  /// D-Bus string can hold, become U+FFFD.
  static func decode(_ json: borrowing Span<UInt8>, _ range: Range<Int>) -> String {
    let content = json.extracting(range)
    let isPlain =
      content.firstIndex(of: .backslash, in: content.indices) == nil
      && content.firstIndex(of: 0, in: content.indices) == nil
    if isPlain, let valid = try? UTF8Span(validating: content) { return String(copying: valid) }
    return String(decoding: unescape(content), as: UTF8.self)
  }

  private static func unescape(_ content: borrowing Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count)
    var index = 0
    while index < content.count {
      let byte = content[index]
      if byte == .backslash, index + 1 < content.count {
        index += appendEscape(content, index + 1, to: &bytes)
      } else {
        append(byte, to: &bytes)
        index += 1
      }
    }
    return bytes
  }

  private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    if byte == 0 { bytes.append(contentsOf: "\u{FFFD}".utf8) } else { bytes.append(byte) }
  }

  /// Appends what the escape at `index` (behind its backslash) stands for; returns the length with the backslash.
  private static func appendEscape(_ content: borrowing Span<UInt8>, _ index: Int, to bytes: inout [UInt8]) -> Int {
    switch content[index] {
    case UInt8(ascii: "n"): bytes.append(.lineFeed)
    case UInt8(ascii: "t"): bytes.append(.tab)
    case UInt8(ascii: "r"): bytes.append(.return)
    case UInt8(ascii: "b"): bytes.append(8)
    case UInt8(ascii: "f"): bytes.append(12)
    case UInt8(ascii: "u"): return appendUnicode(content, index, to: &bytes)
    default: append(content[index], to: &bytes)
    }
    return 2
  }

  private static func appendUnicode(_ content: borrowing Span<UInt8>, _ index: Int, to bytes: inout [UInt8]) -> Int {
    guard let first = hexUnit(content, index + 1) else {
      bytes.append(contentsOf: "\u{FFFD}".utf8)
      return 2
    }
    if UTF16.isLeadSurrogate(first), index + 6 < content.count, content[index + 5] == .backslash,
      content[index + 6] == UInt8(ascii: "u"), let second = hexUnit(content, index + 7),
      UTF16.isTrailSurrogate(second)
    {
      bytes.append(contentsOf: String(decoding: [first, second], as: UTF16.self).utf8)
      return 12
    }
    bytes.append(contentsOf: String(decoding: [first == 0 ? 0xFFFD : first], as: UTF16.self).utf8)
    return 6
  }

  private static func hexUnit(_ content: borrowing Span<UInt8>, _ start: Int) -> UInt16? {
    guard start + 4 <= content.count else { return nil }
    var unit: UInt16 = 0
    for index in start..<(start + 4) {
      guard let digit = Character(Unicode.Scalar(content[index])).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}

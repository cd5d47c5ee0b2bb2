// SPDX-License-Identifier: Apache-2.0
import SecretMemory

/// Decodes the content of a JSON string.
///
/// U+0000 and unpaired surrogates become U+FFFD, because a D-Bus string cannot hold them.
enum JSONText {
  /// The text of the string content at `range`. Bytes that are not UTF-8 become U+FFFD. An invalid escape becomes
  /// U+FFFD or the escaped character.
  static func decode(_ json: borrowing Span<UInt8>, _ range: Range<Int>) -> String {
    let content = json.extracting(range)
    let isPlain =
      content.firstIndex(of: .backslash, in: content.indices) == nil
      && content.firstIndex(of: 0, in: content.indices) == nil
    if isPlain, let valid = try? UTF8Span(validating: content) { return String(copying: valid) }
    return String(decoding: unescape(content, isStrict: false) ?? [], as: UTF8.self)
  }

  /// The text of the string content at `range`; nil if it is not valid in JSON.
  static func read(_ json: borrowing Span<UInt8>, _ range: Range<Int>) -> String? {
    let content = json.extracting(range)
    for index in content.indices where content[index] < 0x20 { return nil }
    if content.firstIndex(of: .backslash, in: content.indices) == nil {
      guard let valid = try? UTF8Span(validating: content) else { return nil }
      return String(copying: valid)
    }
    return unescape(content, isStrict: true).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// - Returns: nil for an invalid escape if `isStrict`.
  private static func unescape(_ content: borrowing Span<UInt8>, isStrict: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count)
    var index = 0
    while index < content.count {
      let byte = content[index]
      if byte != .backslash || index + 1 == content.count {
        append(byte, to: &bytes)
        index += 1
      } else if let length = appendEscape(content, index, to: &bytes) {
        index += length
      } else {
        if isStrict { return nil }
        append(content[index + 1] == UInt8(ascii: "u") ? 0 : content[index + 1], to: &bytes)
        index += 2
      }
    }
    return bytes
  }

  private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    if byte == 0 { bytes += UTF8.encodedReplacementCharacter } else { bytes.append(byte) }
  }

  /// Appends the character of the escape at `index`, and returns the escape's length; nil for an invalid escape.
  private static func appendEscape(_ content: borrowing Span<UInt8>, _ index: Int, to bytes: inout [UInt8]) -> Int? {
    switch content[index + 1] {
    case .quote, .backslash, UInt8(ascii: "/"): bytes.append(content[index + 1])
    case UInt8(ascii: "n"): bytes.append(.lineFeed)
    case UInt8(ascii: "t"): bytes.append(.tab)
    case UInt8(ascii: "r"): bytes.append(.return)
    case UInt8(ascii: "b"): bytes.append(8)
    case UInt8(ascii: "f"): bytes.append(12)
    case UInt8(ascii: "u"): return appendUnicode(content, index, to: &bytes)
    default: return nil
    }
    return 2
  }

  private static func appendUnicode(_ content: borrowing Span<UInt8>, _ index: Int, to bytes: inout [UInt8]) -> Int? {
    guard let unit = codeUnit(content, index) else { return nil }
    var scalar = unit == 0 ? nil : Unicode.Scalar(unit)
    var length = 6
    if UTF16.isLeadSurrogate(unit), let next = codeUnit(content, index + 6), UTF16.isTrailSurrogate(next) {
      scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(next) - 0xDC00))
      length = 12
    }
    bytes += scalar.flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter
    return length
  }

  /// The code unit of `\uXXXX` at `start`; nil if there is no such escape.
  private static func codeUnit(_ content: borrowing Span<UInt8>, _ start: Int) -> UInt16? {
    guard start + 6 <= content.count, content[start] == .backslash, content[start + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt16 = 0
    for index in (start + 2)..<(start + 6) {
      let byte = UInt16(content[index])
      switch byte {
      case 0x30...0x39: unit = unit << 4 | (byte - 0x30)
      case 0x41...0x46: unit = unit << 4 | (byte - 0x37)
      case 0x61...0x66: unit = unit << 4 | (byte - 0x57)
      default: return nil
      }
    }
    return unit
  }

  /// The end of the whole characters and escapes of a string whose content starts at `start`.
  static func endOfText(_ json: borrowing Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < json.count {
      guard json[index] == .backslash else {
        index += 1
        continue
      }
      let isUnicode = index + 1 < json.count && json[index + 1] == UInt8(ascii: "u")
      let length = isUnicode ? 6 : 2
      guard index + length <= json.count else { break }
      // The other half of a surrogate pair may follow.
      if codeUnit(json, index).map(UTF16.isLeadSurrogate) == true, index + 12 > json.count { break }
      index += length
    }
    return index
  }
}

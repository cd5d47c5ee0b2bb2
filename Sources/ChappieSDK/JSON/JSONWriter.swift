// SPDX-License-Identifier: Apache-2.0

/// Writes JSON text by RFC 8259, on one line.
///
/// JSON-GLib is not suitable: it writes `4e53` as `4e+53.0`, which is not a number, and U+001F in an unreadable form.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: ChappieJSONValue) {
    switch value {
    case .object(let members): write(members.sorted { $0.key < $1.key })
    case .array(let elements): write(elements)
    case .string(let text): write(text)
    case .integer(let number): bytes += "\(number)".utf8
    // JSON has no infinite numbers.
    case .number(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .null: bytes += "null".utf8
    }
  }

  private mutating func write(_ members: [(key: String, value: ChappieJSONValue)]) {
    bytes.append(.openBrace)
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(.comma) }
      write(member.key)
      bytes.append(.colon)
      write(member.value)
    }
    bytes.append(.closeBrace)
  }

  private mutating func write(_ elements: [ChappieJSONValue]) {
    bytes.append(.openBracket)
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(.comma) }
      write(element)
    }
    bytes.append(.closeBracket)
  }

  private mutating func write(_ text: String) {
    Self.write(text.utf8, into: &bytes)
  }

  /// Appends text as a JSON string.
  static func write(_ text: some Collection<UInt8>, into bytes: inout [UInt8]) {
    bytes.append(.quote)
    for byte in text {
      switch byte {
      case .quote, .backslash: bytes += [.backslash, byte]
      case .lineFeed: bytes += "\\n".utf8
      case .return: bytes += "\\r".utf8
      case .tab: bytes += "\\t".utf8
      case 0: bytes += UTF8.encodedReplacementCharacter
      case 1..<0x20: bytes += (byte < 0x10 ? "\\u000" : "\\u001").utf8 + [hex[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(.quote)
  }

  private static let hex = Array("0123456789abcdef".utf8)
}

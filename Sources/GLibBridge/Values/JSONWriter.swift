/// Writes JSON text as RFC 8259 has it, on one line.
///
/// JSON-GLib does not serve here: it writes `4e53` as `4e+53.0`, which is no number, and no U+001F that could be read.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: JSON) {
    switch value {
    case .object(let members): write(members.sorted { $0.key < $1.key })
    case .array(let elements): write(elements)
    case .string(let text): write(text)
    case .integer(let number): bytes += "\(number)".utf8
    // What is not finite cannot be written.
    case .double(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .null: bytes += "null".utf8
    }
  }

  private mutating func write(_ members: [(key: String, value: JSON)]) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(member.key)
      bytes.append(UInt8(ascii: ":"))
      write(member.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func write(_ elements: [JSON]) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.withoutZeros.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\r"): bytes += "\\r".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case 0..<0x20: bytes += (byte < 0x10 ? "\\u000" : "\\u001").utf8 + [Self.hex[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let hex = Array("0123456789abcdef".utf8)
}

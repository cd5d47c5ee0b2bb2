/// Reads numbers and texts from bytes, one after the other; nil where there are not enough.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var offset: Int

  init(_ bytes: [UInt8], at offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { offset == bytes.count }

  /// Whether there is as much to skip.
  mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.count - offset else { return false }
    offset += count
    return true
  }

  mutating func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    let start = offset
    guard skip(Number.bitWidth / 8) else { return nil }
    var number: Number = 0
    for index in (start..<offset).reversed() { number = number << 8 | Number(truncatingIfNeeded: bytes[index]) }
    return number
  }

  /// A text behind its length in bytes.
  mutating func text() -> String? {
    guard let length = integer(UInt32.self) else { return nil }
    let start = offset
    guard skip(Int(length)) else { return nil }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }
}

extension [UInt8] {
  mutating func append(littleEndian number: some FixedWidthInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Its length in bytes, and the text.
  mutating func append(text: String) {
    append(littleEndian: UInt32(clamping: text.utf8.count))
    append(contentsOf: text.utf8)
  }
}

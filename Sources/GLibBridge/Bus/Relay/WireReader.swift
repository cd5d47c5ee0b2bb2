/// Reads values of the D-Bus wire format in sequence, within the bounds of the buffer.
struct WireReader {
  private let bytes: ArraySlice<UInt8>
  private let order: ByteOrder
  /// The offset of the next value from the start of the buffer, to which alignment is relative.
  private(set) var position = 0

  init(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) {
    self.bytes = bytes
    self.order = order
  }

  var rest: Int { bytes.count - position }

  /// Skips the padding before a value. False when the bytes end before it.
  @discardableResult
  mutating func align(_ size: Int) -> Bool {
    skip((size - position % size) % size)
  }

  @discardableResult
  mutating func skip(_ count: Int) -> Bool {
    guard count <= rest else { return false }
    position += count
    return true
  }

  mutating func byte() -> UInt8? {
    guard rest > 0 else { return nil }
    defer { position += 1 }
    return bytes[bytes.startIndex + position]
  }

  mutating func uint32() -> UInt32? {
    guard align(4), rest >= 4 else { return nil }
    let start = bytes.startIndex + position
    position += 4
    var value: UInt32 = 0
    for index in start..<start + 4 { value = value << 8 | UInt32(bytes[index]) }
    return order == .big ? value : value.byteSwapped
  }

  /// Reads a string or an object path.
  mutating func string() -> ArraySlice<UInt8>? {
    uint32().flatMap { text(Int($0)) }
  }

  mutating func signature() -> ArraySlice<UInt8>? {
    byte().flatMap { text(Int($0)) }
  }

  /// Reads bytes that a zero byte follows.
  private mutating func text(_ length: Int) -> ArraySlice<UInt8>? {
    guard rest > length else { return nil }
    let start = bytes.startIndex + position
    position += length + 1
    return bytes[start + length] == 0 ? bytes[start..<start + length] : nil
  }
}

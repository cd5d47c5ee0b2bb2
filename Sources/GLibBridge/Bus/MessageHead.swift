// SPDX-License-Identifier: Apache-2.0

/// The fixed part of a D-Bus message's header.
struct MessageHead: Equatable {
  enum Kind: UInt8 {
    case methodCall = 1
    case methodReturn = 2
    case error = 3
    case signal = 4
  }

  /// The number of bytes that determine the length of the message.
  static let fixedLength = 16

  let byteOrder: ByteOrder
  /// Nil for an unknown kind, which the specification says to ignore.
  let kind: Kind?
  let expectsReply: Bool
  let serial: UInt32
  /// The length of the header including its padding, in bytes.
  let headerLength: Int
  let bodyLength: Int

  var length: Int { headerLength + bodyLength }

  /// Nil for bytes that are not the start of a valid message.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.fixedLength, let order = ByteOrder(mark: bytes[bytes.startIndex]),
      bytes[bytes.startIndex + 3] == 1
    else { return nil }
    var reader = WireReader(bytes, order)
    reader.skip(1)
    guard let kind = reader.byte(), let flags = reader.byte(), reader.byte() != nil, let body = reader.uint32(),
      let serial = reader.uint32(), let fields = reader.uint32(),
      // The limits of the specification. Each message has fields.
      body <= 1 << 27, (1...1 << 26).contains(fields)
    else { return nil }
    byteOrder = order
    self.kind = Kind(rawValue: kind)
    expectsReply = self.kind == .methodCall && flags & 1 == 0
    self.serial = serial
    headerLength = (Self.fixedLength + Int(fields) + 7) & ~7
    bodyLength = Int(body)
  }
}

/// The header fields that identify a message's sender, call and content.
struct MessageFields: Equatable {
  private(set) var sender: String?
  private(set) var replySerial: UInt32?
  /// The signature of the body, which a zero byte follows; nil without a body.
  private(set) var signature: ArraySlice<UInt8>?

  /// Nil for an invalid header.
  init?(_ header: ArraySlice<UInt8>, _ order: ByteOrder) {
    var reader = WireReader(header, order)
    reader.skip(12)
    guard let length = reader.uint32(), reader.rest >= Int(length) else { return nil }
    let end = reader.position + Int(length)
    while reader.position < end {
      guard reader.align(8), let code = reader.byte(), let type = reader.signature(), type.count == 1 else {
        return nil
      }
      switch (code, type.first) {
      case (5, UInt8(ascii: "u")): replySerial = reader.uint32()
      case (7, UInt8(ascii: "s")): sender = reader.string().map { String(decoding: $0, as: UTF8.self) }
      case (8, UInt8(ascii: "g")): signature = reader.signature()
      case (_, UInt8(ascii: "u")): guard reader.uint32() != nil else { return nil }
      case (_, UInt8(ascii: "s")), (_, UInt8(ascii: "o")): guard reader.string() != nil else { return nil }
      case (_, UInt8(ascii: "g")): guard reader.signature() != nil else { return nil }
      // The bus removes unknown fields.
      default: return nil
      }
    }
  }
}

enum ByteOrder {
  case little
  case big

  init?(mark: UInt8) {
    switch mark {
    case UInt8(ascii: "l"): self = .little
    case UInt8(ascii: "B"): self = .big
    default: return nil
    }
  }
}

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

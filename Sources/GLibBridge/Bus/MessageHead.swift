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

  var isReply: Bool { kind == .methodReturn || kind == .error }

  /// - Throws: ``WireFault/malformed`` for bytes that are not the start of a valid message.
  init(_ bytes: ArraySlice<UInt8>) throws(WireFault) {
    guard let order = bytes.first.flatMap(ByteOrder.init) else { throw .malformed }
    var reader = WireReader(bytes, order)
    try reader.skip(1)
    let (kind, flags, version) = (try reader.byte(), try reader.byte(), try reader.byte())
    let (body, serial, fields) = (try reader.uint32(), try reader.uint32(), try reader.uint32())
    // The limits of the specification. Each message has fields.
    guard version == 1, body <= 1 << 27, (1...1 << 26).contains(fields) else { throw .malformed }
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
  /// The number of file descriptors that come with the message.
  private(set) var descriptorCount: UInt32 = 0
  /// The offset of that number from the start of the message; nil for a message without the field.
  private(set) var descriptorCountOffset: Int?

  /// - Throws: ``WireFault/malformed`` for an invalid header.
  init(_ header: ArraySlice<UInt8>, _ order: ByteOrder) throws(WireFault) {
    var reader = WireReader(header, order)
    try reader.skip(12)
    let length = Int(try reader.uint32())
    guard reader.rest >= length else { throw .malformed }
    let end = reader.position + length
    while reader.position < end {
      try reader.align(8)
      let code = try reader.byte()
      let type = try reader.signature()
      switch (code, type.count == 1 ? type.first : nil) {
      case (5, UInt8(ascii: "u")): replySerial = try reader.uint32()
      case (7, UInt8(ascii: "s")): sender = String(decoding: try reader.string(), as: UTF8.self)
      case (8, UInt8(ascii: "g")): signature = try reader.signature()
      case (9, UInt8(ascii: "u")):
        descriptorCount = try reader.uint32()
        descriptorCountOffset = reader.position - 4
      case (_, UInt8(ascii: "u")): _ = try reader.uint32()
      case (_, UInt8(ascii: "s")), (_, UInt8(ascii: "o")): _ = try reader.string()
      case (_, UInt8(ascii: "g")): _ = try reader.signature()
      // The bus removes unknown fields.
      default: throw .malformed
      }
    }
  }
}

/// The byte order of a message, as its first byte, `l` or `B`, tells it.
enum ByteOrder: UInt8 {
  case little = 0x6C
  case big = 0x42

  /// The bytes of a number.
  func bytes(of number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: self == .little ? number.littleEndian : number.bigEndian) { Array($0) }
  }
}

/// The reason why a message is not accepted.
enum WireFault: Error, Equatable {
  /// The body has more values than the limit.
  case tooManyValues
  case malformed
}

/// Reads values of the D-Bus wire format in sequence, within the bounds of the buffer: what goes beyond them is
/// ``WireFault/malformed``.
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

  /// Skips the padding before a value.
  mutating func align(_ size: Int) throws(WireFault) {
    try skip((size - position % size) % size)
  }

  mutating func skip(_ count: Int) throws(WireFault) {
    guard count <= rest else { throw .malformed }
    position += count
  }

  mutating func byte() throws(WireFault) -> UInt8 {
    try skip(1)
    return bytes[bytes.startIndex + position - 1]
  }

  mutating func uint32() throws(WireFault) -> UInt32 {
    try align(4)
    try skip(4)
    let end = bytes.startIndex + position
    var value: UInt32 = 0
    for index in end - 4..<end { value = value << 8 | UInt32(bytes[index]) }
    return order == .big ? value : value.byteSwapped
  }

  /// Reads a string or an object path.
  mutating func string() throws(WireFault) -> ArraySlice<UInt8> {
    try text(Int(try uint32()))
  }

  mutating func signature() throws(WireFault) -> ArraySlice<UInt8> {
    try text(Int(try byte()))
  }

  /// Reads bytes that a zero byte follows.
  private mutating func text(_ length: Int) throws(WireFault) -> ArraySlice<UInt8> {
    let start = bytes.startIndex + position
    try skip(length)
    guard try byte() == 0 else { throw .malformed }
    return bytes[start..<start + length]
  }
}

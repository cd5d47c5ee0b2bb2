// SPDX-License-Identifier: Apache-2.0

/// Encodes valid and invalid messages in the D-Bus wire format, in little-endian order.
struct WireBytes {
  private(set) var bytes: [UInt8] = []

  mutating func align(_ size: Int) {
    while bytes.count % size != 0 { bytes.append(0) }
  }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func uint32(_ value: Int) {
    align(4)
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func string(_ text: String) {
    uint32(text.utf8.count)
    bytes += Array(text.utf8) + [0]
  }

  mutating func signature(_ text: String) {
    bytes.append(UInt8(text.utf8.count))
    bytes += Array(text.utf8) + [0]
  }

  /// Encodes an array, whose elements `write` encodes with `alignment`.
  mutating func array(alignment: Int, _ write: (inout WireBytes) -> Void) {
    uint32(0)
    let length = bytes.count - 4
    align(alignment)
    let start = bytes.count
    write(&self)
    let count = bytes.count - start
    for index in 0..<4 { bytes[length + index] = UInt8(truncatingIfNeeded: count >> (8 * index)) }
  }

  static func body(_ write: (inout WireBytes) -> Void) -> [UInt8] {
    var wire = WireBytes()
    write(&wire)
    return wire.bytes
  }

  /// Encodes a complete message.
  static func message(
    kind: UInt8 = 1, flags: UInt8 = 0, serial: Int = 7, sender: String = ":1.5", replySerial: Int? = nil,
    member: String? = nil, signature: String = "", descriptors: Int = 0, body: [UInt8] = []
  ) -> [UInt8] {
    var wire = WireBytes()
    for byte in [UInt8(ascii: "l"), kind, flags, 1] { wire.byte(byte) }
    wire.uint32(body.count)
    wire.uint32(serial)
    wire.array(alignment: 8) { fields in
      fields.field(7, "s") { $0.string(sender) }
      if let member { fields.field(3, "s") { $0.string(member) } }
      if let replySerial { fields.field(5, "u") { $0.uint32(replySerial) } }
      if descriptors > 0 { fields.field(9, "u") { $0.uint32(descriptors) } }
      if !signature.isEmpty { fields.field(8, "g") { $0.signature(signature) } }
    }
    wire.align(8)
    return wire.bytes + body
  }

  private mutating func field(_ code: UInt8, _ type: String, _ write: (inout WireBytes) -> Void) {
    align(8)
    byte(code)
    signature(type)
    write(&self)
  }
}

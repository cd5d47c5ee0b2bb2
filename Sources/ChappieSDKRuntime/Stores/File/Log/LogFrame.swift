import SecretMemory

/// What stands in front of the sealed bytes of a record: a marker, how many they are, the record's number, and a
/// checksum of these, so that a length can be trusted and a reader who lost its place finds the next record.
struct LogFrame: Equatable {
  static let length = 24
  /// A record separator and `rec`.
  static let marker: [UInt8] = [0x1E, 0x72, 0x65, 0x63]

  let number: UInt64
  let bodyLength: UInt32

  var bytes: [UInt8] {
    var bytes = Self.marker
    bytes.append(littleEndian: bodyLength)
    bytes.append(littleEndian: number)
    bytes.append(littleEndian: SealedBytes.checksum(bytes.span))
    return bytes
  }

  init(number: UInt64, bodyLength: UInt32) {
    self.number = number
    self.bodyLength = bodyLength
  }

  /// Nil when there is no frame at `offset`.
  init?(_ bytes: [UInt8], at offset: Int) {
    guard bytes.count - offset >= Self.length, bytes[offset] == Self.marker[0] else { return nil }
    var reader = ByteReader(bytes, at: offset)
    guard bytes[offset..<(offset + 4)].elementsEqual(Self.marker), reader.skip(4),
      let length = reader.integer(UInt32.self), let number = reader.integer(UInt64.self),
      reader.integer(UInt64.self) == SealedBytes.checksum(bytes.span.extracting(offset..<(offset + 16)))
    else { return nil }
    self.init(number: number, bodyLength: length)
  }
}

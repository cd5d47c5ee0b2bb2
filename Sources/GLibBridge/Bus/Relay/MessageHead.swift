/// What the first bytes of a D-Bus message tell of it.
struct MessageHead: Equatable {
  enum Kind: UInt8 {
    case methodCall = 1
    case methodReturn = 2
    case error = 3
    case signal = 4
  }

  /// The bytes that tell how long a message is.
  static let fixedLength = 16

  let byteOrder: ByteOrder
  /// Nil for a kind that is not known yet, which the specification says to ignore.
  let kind: Kind?
  let expectsReply: Bool
  let serial: UInt32
  /// The bytes of the header, with the padding behind it.
  let headerLength: Int
  let bodyLength: Int

  var length: Int { headerLength + bodyLength }

  /// Whether it answers a call of ours.
  var isAnswer: Bool { kind == .methodReturn || kind == .error }

  /// Nil for bytes that are no beginning of a message.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.fixedLength, let order = ByteOrder(mark: bytes[bytes.startIndex]),
      bytes[bytes.startIndex + 3] == 1
    else { return nil }
    var reader = WireReader(bytes, order)
    reader.skip(1)
    guard let kind = reader.byte(), let flags = reader.byte(), reader.byte() != nil, let body = reader.uint32(),
      let serial = reader.uint32(), let fields = reader.uint32(),
      // The specification's own limits.
      body <= 1 << 27, fields <= 1 << 26
    else { return nil }
    byteOrder = order
    self.kind = Kind(rawValue: kind)
    expectsReply = self.kind == .methodCall && flags & 1 == 0
    self.serial = serial
    headerLength = (Self.fixedLength + Int(fields) + 7) & ~7
    bodyLength = Int(body)
  }
}

/// The header fields of a message that say who sent it, what it is or answers, and what is in it.
struct MessageFields: Equatable {
  private(set) var sender: String?
  private(set) var replySerial: UInt32?
  private(set) var member: ArraySlice<UInt8>?
  /// Nil for a message without a body. A zero byte follows it.
  private(set) var signature: ArraySlice<UInt8>?

  /// Nil for a header that is not as the specification has it.
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
      case (3, UInt8(ascii: "s")): member = reader.string()
      case (5, UInt8(ascii: "u")): replySerial = reader.uint32()
      case (7, UInt8(ascii: "s")): sender = reader.string().map { String(decoding: $0, as: UTF8.self) }
      case (8, UInt8(ascii: "g")): signature = reader.signature()
      case (_, UInt8(ascii: "u")): guard reader.uint32() != nil else { return nil }
      case (_, UInt8(ascii: "s")), (_, UInt8(ascii: "o")): guard reader.string() != nil else { return nil }
      case (_, UInt8(ascii: "g")): guard reader.signature() != nil else { return nil }
      // The bus takes out fields that it does not know.
      default: return nil
      }
    }
  }
}

extension MessageFields {
  /// Whose queue `message`, of these fields, waits in: that somebody has left is told after what they sent.
  func queue(_ head: MessageHead, _ message: ArraySlice<UInt8>) -> String {
    guard head.kind == .signal, sender == busName, let member, member.elementsEqual("NameOwnerChanged".utf8) else {
      return sender ?? ""
    }
    var body = WireReader(message.dropFirst(head.headerLength), head.byteOrder)
    let names = [body.string(), body.string(), body.string()].map { String(decoding: $0 ?? [], as: UTF8.self) }
    return names.dropFirst().first { !$0.isEmpty } ?? busName
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

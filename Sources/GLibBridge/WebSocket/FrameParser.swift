// SPDX-License-Identifier: Apache-2.0

/// Splits the bytes of a server into the frames of RFC 6455, and joins fragments to messages.
///
/// It limits what a hostile server could send without end: pings, each of which is answered, empty frames, and
/// fragments.
struct FrameParser {
  enum Problem: Error, Equatable {
    /// The peer sent too many control or empty frames.
    case flood
    /// A message exceeds the message limit.
    case messageTooLong
    case binary
    /// The bytes do not conform to RFC 6455.
    case malformed
  }

  enum Content {
    case text, close, ping, pong
  }

  /// The token bucket for control and empty frames: its size, and the frames that it gains per second.
  static let burst = 256
  static let rate = 16
  /// The most bytes of an incomplete control frame or head.
  static let waitingLimit = 136

  private let messageLimit: Int
  /// The earlier parts of a message; nil between messages.
  private var message: [UInt8]?
  /// The part of a frame that has not arrived, in bytes, and whether the frame is the last one of its message.
  private var rest = 0
  private var restIsLast = false
  private var allowance = Self.burst
  /// The time of the last charge, in seconds of the caller's clock.
  private var allowedAt: Int64?

  init(messageLimit: Int) {
    self.messageLimit = messageLimit
  }

  /// Processes the first frame of `bytes`, or a part of it, and calls `take` if it completes a message or is a control
  /// frame. A message within `bytes` is handed over without a copy.
  ///
  /// - Parameter seconds: the time in seconds, of any monotonic clock. It is read for control and empty frames only.
  /// - Returns: the number of bytes that were processed; 0 when more bytes are necessary. At most ``waitingLimit`` bytes
  ///   have to wait for more.
  mutating func next(
    in bytes: borrowing Span<UInt8>, at seconds: () -> Int64, _ take: (Content, borrowing Span<UInt8>) -> Void
  ) throws(Problem) -> Int {
    guard rest == 0 else { return takePart(of: bytes, take) }
    guard let head = try FrameHead(bytes) else { return 0 }
    let end = head.byteCount + head.length
    if head.opcode.isControl || head.length == 0 { try charge(at: seconds()) }
    switch head.opcode {
    case .close, .ping, .pong:
      guard bytes.count >= end else {
        // The frame is charged when it is complete.
        allowance += 1
        return 0
      }
      let content: Content = head.opcode == .close ? .close : head.opcode == .ping ? .ping : .pong
      take(content, bytes.extracting(head.byteCount..<end))
      return end
    case .binary: throw .binary
    case .text, .continuation:
      guard (head.opcode == .text) == (message == nil) else { throw .malformed }
      guard head.length <= messageLimit - (message?.count ?? 0) else { throw .messageTooLong }
      if head.isLast, message == nil, bytes.count >= end {
        take(.text, bytes.extracting(head.byteCount..<end))
        return end
      }
      message = message ?? []
      (rest, restIsLast) = (head.length, head.isLast)
      if rest == 0, restIsLast { completeMessage(take) }
      return head.byteCount
    }
  }

  private mutating func takePart(
    of bytes: borrowing Span<UInt8>, _ take: (Content, borrowing Span<UInt8>) -> Void
  ) -> Int {
    let count = min(rest, bytes.count)
    message?.append(copying: bytes.extracting(0..<count))
    rest -= count
    if rest == 0, restIsLast { completeMessage(take) }
    return count
  }

  private mutating func completeMessage(_ take: (Content, borrowing Span<UInt8>) -> Void) {
    guard let whole = message.take() else { return }
    take(.text, whole.span)
  }

  private mutating func charge(at seconds: Int64) throws(Problem) {
    let since = seconds - (allowedAt ?? seconds)
    allowedAt = seconds
    allowance = min(Self.burst, allowance + Int(clamping: since) * Self.rate)
    guard allowance > 0 else { throw .flood }
    allowance -= 1
  }
}

/// The head of a frame.
struct FrameHead {
  enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue & 8 != 0 }
  }

  let opcode: Opcode
  let isLast: Bool
  /// The length of the head and of the payload, in bytes.
  let byteCount: Int
  let length: Int

  /// Decodes the head of a server's frame, which has no mask; nil when it is incomplete.
  init?(_ bytes: borrowing Span<UInt8>) throws(FrameParser.Problem) {
    guard bytes.count >= 2 else { return nil }
    // No extension defines the reserved bits, and a server does not mask.
    guard bytes[0] & 0x70 == 0, bytes[1] & 0x80 == 0, let opcode = Opcode(rawValue: bytes[0] & 0xF) else {
      throw .malformed
    }
    self.opcode = opcode
    isLast = bytes[0] & 0x80 != 0
    let short = Int(bytes[1])
    byteCount = short < 126 ? 2 : short == 126 ? 4 : 10
    guard !opcode.isControl || isLast && short < 126 else { throw .malformed }
    guard bytes.count >= byteCount else { return nil }
    var long: UInt64 = 0
    for index in 2..<byteCount { long = long << 8 | UInt64(bytes[index]) }
    // Any length beyond the limit of a message will do, and this one cannot overflow.
    length = short < 126 ? short : Int(min(long, 1 << 62))
  }

  /// A whole frame of a client, whose payload is masked with a random key.
  static func clientFrame(_ opcode: Opcode, _ payload: borrowing Span<UInt8>) -> [UInt8] {
    var frame = [0x80 | opcode.rawValue]
    frame.reserveCapacity(14 + payload.count)
    switch payload.count {
    case ..<126: frame.append(0x80 | UInt8(payload.count))
    case ..<65536:
      frame.append(0x80 | 126)
      for shift in [8, 0] { frame.append(UInt8(truncatingIfNeeded: payload.count >> shift)) }
    default:
      frame.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: payload.count >> shift))
      }
    }
    let mask = (0..<4).map { _ in UInt8.random(in: 0...255) }
    frame += mask
    for index in payload.indices { frame.append(payload[index] ^ mask[index & 3]) }
    return frame
  }
}

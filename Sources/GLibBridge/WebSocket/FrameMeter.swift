/// Limits the frames of a WebSocket that libsoup accepts without a bound: pings, each of which it answers, empty
/// frames, and fragmented messages.
struct FrameMeter {
  enum Problem: Error, Equatable {
    /// The peer sent too many control or empty frames.
    case flood
    /// The fragments of a message exceed the message limit.
    case messageTooLong
  }

  /// The token bucket for control and empty frames: its size, and the frames that it gains per second.
  static let burst = 256
  static let rate = 16

  private let messageLimit: UInt64
  /// The remaining payload of the current frame, in bytes.
  private var content: UInt64 = 0
  private var head: [UInt8] = []
  private var messageLength: UInt64 = 0
  private var allowance = Self.burst
  /// The time of the last charge, in seconds of the caller's clock.
  private var allowedAt: Int64?

  init(messageLimit: UInt64) {
    self.messageLimit = messageLimit
    head.reserveCapacity(10)
  }

  /// Processes the next bytes of the stream.
  ///
  /// - Parameter seconds: the time in seconds, of any monotonic clock.
  /// - Throws: ``Problem``.
  mutating func pass(_ bytes: borrowing Span<UInt8>, at seconds: Int64) throws(Problem) {
    var index = 0
    while index < bytes.count {
      let skipped = Int(min(content, UInt64(bytes.count - index)))
      content -= UInt64(skipped)
      index += skipped
      guard index < bytes.count else { return }
      head.append(bytes[index])
      index += 1
      if let length = headLength, head.count == length { try begin(at: seconds) }
    }
  }

  /// The length of the current frame's head; nil until it is known.
  private var headLength: Int? {
    guard head.count >= 2 else { return nil }
    let mask = head[1] & 0x80 == 0 ? 0 : 4
    return switch head[1] & 0x7F {
    case 126: 4 + mask
    case 127: 10 + mask
    default: 2 + mask
    }
  }

  /// Processes a complete frame head.
  private mutating func begin(at seconds: Int64) throws(Problem) {
    let opcode = head[0] & 0xF
    let short = UInt64(head[1] & 0x7F)
    content =
      switch short {
      case 126: head[2..<4].reduce(0) { $0 << 8 | UInt64($1) }
      case 127: head[2..<10].reduce(0) { $0 << 8 | UInt64($1) }
      default: short
      }
    head.removeAll(keepingCapacity: true)
    let isControl = opcode & 0x8 != 0
    if isControl || content == 0 { try charge(at: seconds) }
    guard !isControl else { return }
    if opcode != 0 { messageLength = 0 }
    let (length, overflows) = messageLength.addingReportingOverflow(content)
    messageLength = length
    guard !overflows, length <= messageLimit else { throw .messageTooLong }
  }

  private mutating func charge(at seconds: Int64) throws(Problem) {
    let since = seconds - (allowedAt ?? seconds)
    allowedAt = seconds
    allowance = min(Self.burst, allowance + Int(clamping: since) * Self.rate)
    guard allowance > 0 else { throw .flood }
    allowance -= 1
  }
}

/// Looks at the frames of a WebSocket as their bytes come in, and tells of what libsoup would take without end: pings,
/// each of which it answers, frames without content, and messages in ever more parts.
struct FrameMeter {
  enum Problem: Error, Equatable {
    /// More frames came that say nothing than anybody has a use for.
    case flood
    /// The parts of a message are longer than a message may be.
    case messageTooLong
  }

  /// How many frames that say nothing may come at once; so many more may each second.
  static let burst = 256
  static let rate = 16

  private let messageLimit: UInt64
  /// What is left of the content of the frame that comes in.
  private var content: UInt64 = 0
  private var head: [UInt8] = []
  private var messageLength: UInt64 = 0
  private var allowance = Self.burst
  /// Seconds, of the clock of whoever passes the bytes.
  private var allowedAt: Int64?

  init(messageLimit: UInt64) {
    self.messageLimit = messageLimit
    head.reserveCapacity(10)
  }

  /// Looks at the next bytes.
  ///
  /// - Parameter seconds: the time, of any clock that only goes forward.
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

  /// The length of a frame's head, as soon as it is known.
  private var headLength: Int? {
    guard head.count >= 2 else { return nil }
    let mask = head[1] & 0x80 == 0 ? 0 : 4
    return switch head[1] & 0x7F {
    case 126: 4 + mask
    case 127: 10 + mask
    default: 2 + mask
    }
  }

  /// The head of a frame is here.
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

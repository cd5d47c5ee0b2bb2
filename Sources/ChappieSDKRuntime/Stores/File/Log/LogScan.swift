/// What the bytes of a log are made of. It takes any bytes.
struct LogScan {
  enum Piece: Equatable {
    /// A frame and as many bytes as it says; the content is nil where they do not open.
    case record(LogFrame, at: Int, content: [UInt8]?)
    /// Neither a record nor the beginning of one.
    case damage(Range<Int>)
  }

  private(set) var pieces: [Piece] = []
  /// Where the next record is to be written: behind everything but a record that was being written.
  private(set) var end: Int

  /// - Parameters:
  ///   - start: where a record begins, or the log ends.
  ///   - open: gives the content of a record; nil when its bytes are not what was written.
  init(_ bytes: [UInt8], from start: Int, open: (LogFrame, ArraySlice<UInt8>) -> [UInt8]?) {
    end = start
    while end < bytes.count {
      let frame = LogFrame(bytes, at: end)
      let body = end + LogFrame.length
      if let frame, Int(frame.bodyLength) <= bytes.count - body {
        let next = body + Int(frame.bodyLength)
        let content = open(frame, bytes[body..<next])
        // Where bytes are missing from a record, the next one begins sooner than its length says.
        if content == nil, let sooner = Self.nextFrame(bytes[body..<next]) {
          skip(to: sooner)
        } else {
          pieces.append(.record(frame, at: end, content: content))
          end = next
        }
      } else if let next = Self.nextFrame(bytes[(end + 1)...]) {
        skip(to: next)
      } else {
        if frame == nil, !Self.isTorn(bytes[end...]) { skip(to: bytes.count) }
        return
      }
    }
  }

  private mutating func skip(to place: Int) {
    pieces.append(.damage(end..<place))
    end = place
  }

  private static func nextFrame(_ bytes: ArraySlice<UInt8>) -> Int? {
    var rest = bytes
    while let next = rest.firstIndex(of: LogFrame.marker[0]), rest.endIndex - next >= LogFrame.length {
      if LogFrame(Array(rest[next..<(next + LogFrame.length)]), at: 0) != nil { return next }
      rest = rest[(next + 1)...]
    }
    return nil
  }

  /// Whether what is at the end of the file, and has no whole frame, can come of a write that was cut short: the
  /// beginning of a frame, or room that nothing was written to.
  private static func isTorn(_ rest: ArraySlice<UInt8>) -> Bool {
    if rest.count < LogFrame.length, LogFrame.marker.starts(with: rest.prefix(LogFrame.marker.count)) { return true }
    return rest.allSatisfy { $0 == 0 }
  }
}

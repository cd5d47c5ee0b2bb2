/// What the bytes of a log are made of. It takes any bytes and needs no key.
struct LogScan {
  enum Piece: Equatable {
    case record(LogFrame, body: Range<Int>)
    /// Neither a record nor the beginning of one.
    case damage(Range<Int>)
  }

  private(set) var pieces: [Piece] = []
  /// Where the next record is to be written: behind everything but a record that was being written.
  private(set) var end: Int

  /// - Parameter start: where a record begins, or the log ends.
  init(_ bytes: [UInt8], from start: Int) {
    end = start
    while end < bytes.count {
      if let frame = LogFrame(bytes, at: end), Int(frame.bodyLength) <= bytes.count - end - LogFrame.length {
        let body = end + LogFrame.length
        pieces.append(.record(frame, body: body..<(body + Int(frame.bodyLength))))
        end = body + Int(frame.bodyLength)
      } else if let next = Self.nextRecord(bytes, from: end + 1) {
        pieces.append(.damage(end..<next))
        end = next
      } else {
        guard !Self.isTorn(bytes, from: end) else { return }
        pieces.append(.damage(end..<bytes.count))
        end = bytes.count
      }
    }
  }

  private static func nextRecord(_ bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + LogFrame.length <= bytes.count {
      guard let next = bytes[index...].firstIndex(of: LogFrame.marker[0]) else { return nil }
      if LogFrame(bytes, at: next) != nil { return next }
      index = next + 1
    }
    return nil
  }

  /// Whether what is at the end of the file can come of a write that was cut short: a part of a record, or room for one
  /// that nothing was written to.
  private static func isTorn(_ bytes: [UInt8], from start: Int) -> Bool {
    let rest = bytes[start...]
    if LogFrame(bytes, at: start) != nil { return true }
    if rest.count < LogFrame.length { return rest.prefix(4).elementsEqual(LogFrame.marker.prefix(rest.count)) }
    return rest.allSatisfy { $0 == 0 }
  }
}

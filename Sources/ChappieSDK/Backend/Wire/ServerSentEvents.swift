/// Divides the bytes of a `text/event-stream` into events, whatever the chunking.
///
/// Lines end in LF, CRLF or CR. Comments and fields other than `data` are passed over: in this protocol the type
/// of an event is in its data. An event that is not complete when the stream ends is no event.
struct ServerSentEventParser {
  enum Failure: Error, Equatable {
    /// An event is longer than the limit, in bytes.
    case eventTooLong(limit: Int)
    /// An event has more lines of data than anybody would write.
    case tooManyLines
  }

  private enum Position {
    /// A byte order mark may come.
    case start
    case text
    /// The last line ended in CR; a LF that follows belongs to it.
    case afterReturn
  }

  static let defaultLimit = 6 << 20
  private static let lineLimit = 1 << 16
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let limit: Int
  private var position = Position.start
  /// The bytes from the event that is being read on.
  private var buffer: [UInt8] = []
  private var lineStart = 0
  /// How far `buffer` was searched for the end of a line.
  private var searched = 0
  /// Where in `buffer` the event's data is: one range a line.
  private var dataLines: [Range<Int>] = []

  /// The bytes of the event that is being read.
  var bufferedBytes: Int { buffer.count }

  /// - Parameter limit: the most bytes that one event may have.
  init(limit: Int = defaultLimit) {
    self.limit = limit
  }

  /// Takes the next bytes and calls `take` with the data of each event that they complete, until it returns false. The
  /// rest then waits for the next call, which may bring nothing.
  ///
  /// - Returns: whether `take` wanted all of it.
  @discardableResult
  mutating func parse(_ chunk: ArraySlice<UInt8>, _ take: (borrowing Span<UInt8>) throws -> Bool) throws -> Bool {
    buffer.append(contentsOf: chunk)
    guard passByteOrderMark() else { return true }
    var wantsMore = true
    while wantsMore, let end = nextLineEnd() {
      let isSecondHalf = position == .afterReturn && end == lineStart && buffer[end] == .lineFeed
      position = buffer[end] == .return ? .afterReturn : .text
      if !isSecondHalf { wantsMore = try takeLine(lineStart..<end, take) }
      lineStart = end + 1
      searched = lineStart
    }
    if wantsMore { searched = buffer.count }
    forgetWhatIsDone()
    guard buffer.count <= limit else { throw Failure.eventTooLong(limit: limit) }
    return wantsMore
  }

  /// - Returns: false while it cannot be told whether the stream starts with a byte order mark.
  private mutating func passByteOrderMark() -> Bool {
    guard position == .start else { return true }
    if buffer.starts(with: Self.byteOrderMark) {
      buffer.removeFirst(Self.byteOrderMark.count)
    } else if Self.byteOrderMark.starts(with: buffer) {
      return false
    }
    position = .text
    return true
  }

  private func nextLineEnd() -> Int? {
    let bytes = buffer.span
    var index = searched
    while index < bytes.count {
      let byte = bytes[index]
      if byte == .lineFeed || byte == .return { return index }
      index += 1
    }
    return nil
  }

  private mutating func takeLine(_ line: Range<Int>, _ take: (borrowing Span<UInt8>) throws -> Bool) throws -> Bool {
    guard line.isEmpty else {
      if let content = dataContent(line) { dataLines.append(content) }
      guard dataLines.count <= Self.lineLimit else { throw Failure.tooManyLines }
      return true
    }
    defer { dataLines.removeAll(keepingCapacity: dataLines.count <= 16) }
    switch dataLines.count {
    case 0: return true
    case 1: return try take(buffer.span.extracting(dataLines[0]))
    default: return try take(joinedLines.span)
    }
  }

  /// The data of an event of several lines.
  private var joinedLines: [UInt8] {
    var data: [UInt8] = []
    for (index, line) in dataLines.enumerated() {
      if index > 0 { data.append(.lineFeed) }
      data.append(contentsOf: buffer[line])
    }
    return data
  }

  /// The range of the value when `line` is a `data` field.
  private func dataContent(_ line: Range<Int>) -> Range<Int>? {
    let bytes = buffer.span.extracting(line)
    guard bytes.count >= 4, bytes[0] == UInt8(ascii: "d"), bytes[1] == UInt8(ascii: "a"),
      bytes[2] == UInt8(ascii: "t"), bytes[3] == UInt8(ascii: "a")
    else { return nil }
    guard bytes.count > 4 else { return line.upperBound..<line.upperBound }
    guard bytes[4] == .colon else { return nil }
    let hasSpace = bytes.count > 5 && bytes[5] == .space
    return (line.lowerBound + (hasSpace ? 6 : 5))..<line.upperBound
  }

  /// Drops the bytes of events that were handed over, and of lines that no event needs.
  private mutating func forgetWhatIsDone() {
    let done = dataLines.first?.lowerBound ?? lineStart
    guard done > 0 else { return }
    buffer.removeFirst(done)
    lineStart -= done
    searched -= done
    for index in dataLines.indices {
      dataLines[index] = (dataLines[index].lowerBound - done)..<(dataLines[index].upperBound - done)
    }
  }
}

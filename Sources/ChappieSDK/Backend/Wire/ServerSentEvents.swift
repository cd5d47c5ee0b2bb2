// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// Splits the bytes of a `text/event-stream` into events, independent of the chunking.
///
/// Lines end in LF, CRLF or CR. The parser ignores comments and fields other than `data`: in this protocol the type of
/// an event is in its data. It also ignores an event that is incomplete when the stream ends.
struct ServerSentEventParser {
  enum LimitError: Error, Equatable {
    /// An event is longer than the limit, in bytes.
    case eventTooLong(limit: Int)
    /// An event has more lines of data than any sensible server writes.
    case tooManyLines
  }

  private enum Position {
    /// The first line, which may begin with a byte order mark.
    case start
    case text
    /// The last line ended in CR. A LF that follows belongs to it.
    case afterReturn
  }

  static let defaultLimit = 6 << 20
  private static let lineLimit = 1 << 16
  private static let byteOrderMark: StaticString = "\u{FEFF}"

  private let limit: Int
  private var position = Position.start
  /// The bytes of an incomplete event.
  private var buffer: [UInt8] = []
  // Positions count from the beginning of the event.
  private var lineStart = 0
  /// The position up to which no end of a line was found.
  private var searched = 0
  /// The event's data, one range for each line.
  private var dataLines: [Range<Int>] = []

  /// The number of buffered bytes, all of an incomplete event.
  var bufferedBytes: Int { buffer.count }

  /// - Parameter limit: the most bytes that one event may have.
  init(limit: Int = defaultLimit) {
    self.limit = limit
  }

  /// Takes the next bytes and calls `take` with the data of each event that they complete, until it returns false. The
  /// other bytes then wait for the next call, which may pass an empty chunk.
  ///
  /// - Returns: whether `take` accepted all events.
  @discardableResult
  mutating func parse(
    _ chunk: borrowing Span<UInt8>, _ take: (borrowing Span<UInt8>) throws -> Bool
  ) throws -> Bool {
    let wantsMore: Bool
    if buffer.isEmpty {
      wantsMore = try readLines(of: chunk, take)
      buffer.append(copying: chunk.extracting(forgetWhatIsDone()..<chunk.count))
    } else {
      // Out of the parser, whose positions change while the bytes are read.
      var bytes: [UInt8] = []
      swap(&bytes, &buffer)
      bytes.append(copying: chunk)
      wantsMore = try readLines(of: bytes.span, take)
      bytes.removeFirst(forgetWhatIsDone())
      buffer = bytes
    }
    guard buffer.count <= limit else { throw LimitError.eventTooLong(limit: limit) }
    return wantsMore
  }

  /// - Returns: whether `take` accepted all events.
  private mutating func readLines(
    of bytes: borrowing Span<UInt8>, _ take: (borrowing Span<UInt8>) throws -> Bool
  ) throws -> Bool {
    var wantsMore = true
    while wantsMore, let end = Self.lineEnd(in: bytes, from: searched) {
      let isSecondHalf = position == .afterReturn && end == lineStart && bytes[end] == .lineFeed
      let hasMark = position == .start && bytes.equals(lineStart..<min(lineStart + 3, end), Self.byteOrderMark)
      position = bytes[end] == .return ? .afterReturn : .text
      if !isSecondHalf { wantsMore = try takeLine(lineStart + (hasMark ? 3 : 0)..<end, of: bytes, take) }
      lineStart = end + 1
      searched = lineStart
    }
    if wantsMore { searched = bytes.count }
    return wantsMore
  }

  private static func lineEnd(in bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == .lineFeed || bytes[index] == .return { return index }
      index += 1
    }
    return nil
  }

  private mutating func takeLine(
    _ line: Range<Int>, of bytes: borrowing Span<UInt8>, _ take: (borrowing Span<UInt8>) throws -> Bool
  ) throws -> Bool {
    guard line.isEmpty else {
      if let content = Self.dataContent(line, of: bytes) { dataLines.append(content) }
      guard dataLines.count <= Self.lineLimit else { throw LimitError.tooManyLines }
      return true
    }
    defer { dataLines.removeAll(keepingCapacity: dataLines.count <= 16) }
    switch dataLines.count {
    case 0: return true
    case 1: return try take(bytes.extracting(dataLines[0]))
    default: return try take(joinedLines(of: bytes).span)
    }
  }

  /// The data of an event with several lines.
  private func joinedLines(of bytes: borrowing Span<UInt8>) -> [UInt8] {
    var data: [UInt8] = []
    for (index, line) in dataLines.enumerated() {
      if index > 0 { data.append(.lineFeed) }
      data.append(copying: bytes.extracting(line))
    }
    return data
  }

  /// The range of the value if `line` is a `data` field.
  private static func dataContent(_ line: Range<Int>, of bytes: borrowing Span<UInt8>) -> Range<Int>? {
    let name = line.prefix(4)
    guard bytes.equals(name, "data") else { return nil }
    guard name.upperBound < line.upperBound else { return line.suffix(0) }
    guard bytes[name.upperBound] == .colon else { return nil }
    let value = line.dropFirst(5)
    return value.first.map { bytes[$0] == .space } == true ? value.dropFirst() : value
  }

  /// Makes positions count from the beginning of the next event.
  ///
  /// - Returns: the distance that the positions moved, in bytes.
  private mutating func forgetWhatIsDone() -> Int {
    let done = dataLines.first?.lowerBound ?? lineStart
    guard done > 0 else { return 0 }
    lineStart -= done
    searched -= done
    for index in dataLines.indices {
      dataLines[index] = (dataLines[index].lowerBound - done)..<(dataLines[index].upperBound - done)
    }
    return done
  }
}

/// Hands on the events of a `text/event-stream`, and lets the main loop do other work after many of them.
@GLibActor
final class EventFeed {
  private var parser: ServerSentEventParser
  private let taker: @GLibActor (borrowing Span<UInt8>) -> FlowControl
  /// Whether an event exceeded the limit and ended the stream.
  private(set) var isEndless = false

  /// The buffered bytes of an incomplete event.
  var bufferedBytes: Int { parser.bufferedBytes }

  /// - Parameter limit: the most bytes that one event may have.
  init(
    limit: Int = ServerSentEventParser.defaultLimit,
    _ taker: @escaping @GLibActor (borrowing Span<UInt8>) -> FlowControl
  ) {
    parser = ServerSentEventParser(limit: limit)
    self.taker = taker
  }

  /// Takes the next bytes of the stream.
  func take(_ chunk: borrowing Span<UInt8>) -> FlowControl {
    var flow = FlowControl.proceed
    var slice = TimeSlice()
    do {
      let wantsMore = try parser.parse(chunk) { data in
        let next = taker(data)
        flow = flow.combined(with: next)
        return switch next {
        // A pause concerns the sender. Events that are here already may be handed on.
        case .proceed, .pause: !slice.isOver()
        case .decide, .stop: false
        }
      }
      if wantsMore { return flow }
    } catch {
      isEndless = true
      return .stop
    }
    if case .stop = flow { return .stop }
    return .decide(Task.onGLib { [flow] in await flow.goesOn() ? self.take(Span()) : .stop })
  }
}

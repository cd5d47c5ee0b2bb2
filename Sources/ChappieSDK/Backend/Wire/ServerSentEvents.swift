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
  }

  private enum Position {
    /// The first line, which may begin with a byte order mark.
    case start
    case text
    /// The last line ended in CR. A LF that follows belongs to it.
    case afterReturn
  }

  static let defaultLimit = 6 << 20
  /// The most memory for data that is kept from one event to the next, in bytes. An event with a picture is longer.
  private static let keptCapacity = 1 << 16
  private static let byteOrderMark: StaticString = "\u{FEFF}"

  private let limit: Int
  private var position = Position.start
  /// The unfinished line, or the lines that wait for the next call.
  private var buffer: [UInt8] = []
  /// The position in the buffer up to which no end of a line was found.
  private var searched = 0
  /// The data of an incomplete event, with a LF after each line.
  private var data: [UInt8] = []

  /// The number of buffered bytes, all of an incomplete event.
  var bufferedBytes: Int { buffer.count + data.count }

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
    var start = 0
    if buffer.isEmpty {
      wantsMore = try readLines(of: chunk, from: &start, take)
      buffer.append(copying: chunk.extracting(start..<chunk.count))
    } else {
      // Out of the parser, which changes while the bytes are read.
      var bytes: [UInt8] = []
      swap(&bytes, &buffer)
      bytes.append(copying: chunk)
      wantsMore = try readLines(of: bytes.span, from: &start, take)
      bytes.removeFirst(start)
      buffer = bytes
    }
    searched = wantsMore ? buffer.count : 0
    guard bufferedBytes <= limit else { throw LimitError.eventTooLong(limit: limit) }
    return wantsMore
  }

  /// - Parameter start: the beginning of the first line, and then of the first that is not read.
  /// - Returns: whether `take` accepted all events.
  private mutating func readLines(
    of bytes: borrowing Span<UInt8>, from start: inout Int, _ take: (borrowing Span<UInt8>) throws -> Bool
  ) throws -> Bool {
    while let end = Self.lineEnd(in: bytes, from: max(start, searched)) {
      let isSecondHalf = position == .afterReturn && end == start && bytes[end] == .lineFeed
      let hasMark = position == .start && bytes.equals(start..<min(start + 3, end), Self.byteOrderMark)
      let line = (start + (hasMark ? 3 : 0))..<end
      position = bytes[end] == .return ? .afterReturn : .text
      start = end + 1
      if !isSecondHalf, try !takeLine(line, of: bytes, take) { return false }
    }
    return true
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
      if let content = Self.dataContent(line, of: bytes) {
        data.append(copying: bytes.extracting(content))
        data.append(.lineFeed)
      }
      return true
    }
    guard !data.isEmpty else { return true }
    defer { data.removeAll(keepingCapacity: data.capacity <= Self.keptCapacity) }
    return try take(data.span.extracting(droppingLast: 1))
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

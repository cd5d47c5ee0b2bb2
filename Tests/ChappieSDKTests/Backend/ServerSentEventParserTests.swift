// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

struct ServerSentEventParserTests {
  /// An answer on the wire that uses every feature of the format.
  private static let recorded = """
    event: response.created
    data: {"type":"response.created","response":{"id":"resp_1"}}

    : keep-alive

    event: response.output_text.delta
    id: 7
    data: {"type":"response.output_text.delta","delta":"Grüß dich, 😀"}

    data:{"no":"space"}

    data
    data:
    data:  two spaces

    retry: 3000

    data: {"several":
    data: "lines"}

    data: {"type":"response.completed","response":{"id":"resp_1"}}


    """

  private static let recordedEvents = [
    "{\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\"}}",
    "{\"type\":\"response.output_text.delta\",\"delta\":\"Grüß dich, 😀\"}",
    "{\"no\":\"space\"}",
    "\n\n two spaces",
    "{\"several\":\n\"lines\"}",
    "{\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\"}}",
  ]

  private static func events(
    _ chunks: [ArraySlice<UInt8>], limit: Int = 16 << 20
  ) throws -> [[UInt8]] {
    var parser = ServerSentEventParser(limit: limit)
    var events: [[UInt8]] = []
    for chunk in chunks {
      try parser.parse(chunk.span) { data in
        events.append(data.indices.map { data[$0] })
        return true
      }
    }
    return events
  }

  private static func events(_ text: String) throws -> [String] {
    try events([ArraySlice(text.utf8)]).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func bytewise(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.indices.map { bytes[$0...$0] }
  }

  /// Each kind of line end alone, and mixtures of them.
  private static let lineEnds = [["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"], ["\r", "\r\n"]]

  private static func recorded(_ ends: [String], byteOrderMark: Bool = false) -> [UInt8] {
    let lines = recorded.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    var text = byteOrderMark ? "\u{FEFF}" : ""
    for (index, line) in lines.enumerated() {
      // A CR followed by the LF of an empty line would be a single line end.
      text += line + (line.isEmpty && text.utf8.last == .return ? "\r" : ends[index % ends.count])
    }
    return Array(text.utf8)
  }

  /// The handler may pause after each event. No event is lost or repeated.
  @Test(arguments: [1, 2, 3, 7])
  func keepsUnwantedEventsForLater(_ length: Int) throws {
    let texts = (0..<length).map { "event \($0)" }
    let text = texts.map { "data: \($0)\n: comment\n\n" }.joined()
    var parser = ServerSentEventParser()
    var events: [String] = []
    var rest = ArraySlice(text.utf8)
    for _ in 0..<length {
      let wantsMore = try parser.parse(rest.span) { data in
        events.append(String(decoding: data.indices.map { data[$0] }, as: UTF8.self))
        return false
      }
      #expect(!wantsMore)
      rest = []
    }
    #expect(try parser.parse(Span()) { _ in false })
    #expect(events == texts)
  }

  @Test(arguments: lineEnds, [false, true])
  func chunkingDoesNotMatter(_ ends: [String], _ byteOrderMark: Bool) throws {
    let bytes = Self.recorded(ends, byteOrderMark: byteOrderMark)
    let expected = Self.recordedEvents.map { Array($0.utf8) }
    #expect(try Self.events([bytes[...]]) == expected)
    // Empty chunks do not matter either.
    let chunks = Self.bytewise(bytes).flatMap { [$0.prefix(0), $0, $0.suffix(0)] }
    #expect(try Self.events(chunks) == expected)
    let wrongCuts = try (0...bytes.count).filter { try Self.events([bytes[..<$0], bytes[$0...]]) != expected }
    #expect(wrongCuts == [])
  }

  /// A CR ends the line at once: the parser does not wait for an LF that may never come.
  @Test func deliversEachEventAsSoonAsItIsComplete() throws {
    var parser = ServerSentEventParser()
    var count = 0
    for (text, expected) in [("data: a\n", 0), ("\n", 1), ("data: b\r\r", 2)] {
      try parser.parse(Array(text.utf8).span) { _ in
        count += 1
        return true
      }
      #expect(count == expected, "\(text)")
    }
  }

  @Test func eventMayHaveManyLines() throws {
    let lines = (0..<1000).map { "line \($0)" }
    #expect(try Self.events(lines.map { "data: \($0)\n" }.joined() + "\n") == [lines.joined(separator: "\n")])
  }

  @Test(arguments: [
    ("data\n\n", [""]), ("data:\n\n", [""]), ("data: \n\n", [""]), ("data: a\ndata\ndata: b\n\n", ["a\n\nb"]),
    // Only one space is removed.
    ("data:a\n\n", ["a"]), ("data:  a \n\n", [" a "]), ("data:\ta\n\n", ["\ta"]),
    // Empty lines make no events.
    ("\n\n\r\r\r\n\r\n", []),
  ])
  func aLineHasDataBehindItsName(_ text: String, _ events: [String]) throws {
    #expect(try Self.events(text) == events)
  }

  @Test(arguments: [
    "event: x", "id: 1", "retry: 1", ":", ": comment", ":data: no", "dat: a", "datax: a", "data : a", " data: a",
    "DATA: a", "\u{FEFF}data: a",
  ])
  func ignoresOtherLines(_ line: String) throws {
    #expect(try Self.events("\n\(line)\n\n") == [])
    #expect(try Self.events("data: 1\n\(line)\ndata: 2\n\n") == ["1\n2"])
  }

  @Test func skipsOnlyTheFirstByteOrderMark() throws {
    #expect(try Self.events("\u{FEFF}data: a\n\n") == ["a"])
    #expect(try Self.events("\u{FEFF}\u{FEFF}data: a\n\n") == [])
    #expect(try Self.events("data: \u{FEFF}\n\n") == ["\u{FEFF}"])
    let partial: [UInt8] = [0xEF, 0xBB] + Array("\ndata: a\n\n".utf8)
    #expect(try Self.events(Self.bytewise(partial)) == [Array("a".utf8)])
  }

  @Test(arguments: ["data: a", "data: a\n", "data: a\r\n", "data: a\ndata: b\n", "data"])
  func ignoresAnIncompleteEventAtTheEnd(_ text: String) throws {
    #expect(try Self.events(text) == [])
    #expect(try Self.events("data: whole\n\n" + text) == ["whole"])
  }

  @Test func deliversALongLineWholeWithItsInvalidUTF8() throws {
    let bad: [UInt8] = [0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0x00]
    let line = bad + Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
    let bytes = Array("data: ".utf8) + line + [10, 10]
    let chunks = stride(from: 0, to: bytes.count, by: 32 << 10).map { bytes[$0..<min($0 + (32 << 10), bytes.count)] }
    #expect(try Self.events(chunks) == [line])
  }

  @Test func refusesAnEventBeyondTheLimit() throws {
    let fitting = ArraySlice("data: \(String(repeating: "x", count: 94))".utf8)
    let failure = ServerSentEventParser.LimitError.eventTooLong(limit: 100)
    #expect(try Self.events([fitting, [10, 10]], limit: 100).map(\.count) == [94])
    #expect(throws: failure) { try Self.events([fitting, [120]], limit: 100) }
    // The limit also applies to many short lines and to a comment.
    #expect(throws: failure) { try Self.events(Array(repeating: ArraySlice("data: x\n".utf8), count: 100), limit: 100) }
    #expect(throws: failure) { try Self.events(Array(repeating: ArraySlice(": comment".utf8), count: 100), limit: 100) }
    // Each event has the whole limit.
    let event = ArraySlice("data: x\n\n".utf8)
    #expect(try Self.events(Array(repeating: event, count: 100), limit: 10).count == 100)
    #expect(try Self.events([ArraySlice(Array(repeating: event, count: 100).joined())], limit: 10).count == 100)
    // Comments between events do not count towards the next event.
    #expect(try Self.events(Array(repeating: ArraySlice(": ping\n\n".utf8), count: 100), limit: 10) == [])
  }
}

@Suite(.timeLimit(.minutes(10))) @GLibActor
struct EventFeedTests {
  private static func stream(_ count: Int) -> [UInt8] {
    Array((0..<count).map { "data: \($0)\n\n" }.joined().utf8)
  }

  private static func text(_ data: borrowing Span<UInt8>) -> String {
    String(decoding: Array(copying: data), as: UTF8.self)
  }

  /// The feed takes a chunk of many events in slices.
  @Test func feedYieldsToOtherTasks() async {
    var taken: [String] = []
    let feed = EventFeed { data in
      taken.append(Self.text(data))
      return .proceed
    }
    var turns = 0
    let other = Task.onGLib {
      while !Task.isCancelled {
        turns += 1
        await Task.yield()
      }
    }
    #expect(await feed.take(Self.stream(50_000).span).goesOn())
    other.cancel()
    #expect(taken == (0..<50_000).map(String.init))
    #expect(turns >= 5)
  }

  @Test func feedAwaitsADecisionBeforeTheNextEvent() async {
    var taken: [String] = []
    let feed = EventFeed { data in
      let text = Self.text(data)
      return .decide(
        Task.onGLib {
          await Task.yield()
          taken.append(text)
          return text == "2" ? .stop : .proceed
        })
    }
    #expect(await !feed.take(Self.stream(5).span).goesOn())
    #expect(taken == ["0", "1", "2"])
  }

  /// The pauses of two events end in order, in reverse order, or in reverse order with a decision after them.
  @Test(arguments: 0..<3) func chunkWaitsForEachOfItsPauses(_ index: Int) async {
    var taken = 0
    var pauses: [Wait] = []
    let feed = EventFeed { data in
      taken += 1
      if Self.text(data) == "2" { return index == 2 ? .decide(Task.onGLib { .proceed }) : .proceed }
      let pause = Wait()
      pauses.append(pause)
      return .pause(until: Task.onGLib { await pause.value() })
    }
    let flow = feed.take(Self.stream(3).span)
    // The pauses hold back none of the chunk's other events.
    #expect(taken == 3 && pauses.count == 2)
    var goesOn = false
    let waiting = Task.onGLib { goesOn = await flow.goesOn() }
    for pause in index == 0 ? pauses : pauses.reversed() {
      for _ in 0..<10 { await Task.yield() }
      #expect(!goesOn)
      pause.finish()
    }
    await waiting.value
    #expect(goesOn)
  }

  @Test func feedStopsAtAnEventBeyondItsLimit() throws {
    let feed = EventFeed(limit: 6 << 10) { _ in .proceed }
    let part = [UInt8](repeating: 0x78, count: 3 << 10)
    for _ in 0..<2 { _ = feed.take(part.span) }
    #expect(!feed.isEndless)
    guard case .stop = feed.take(part.span) else { throw UnmetCondition("the end") }
    #expect(feed.isEndless)
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(1)))
@GLibActor
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

  @Test func feedStopsAtAnEventBeyondItsLimit() {
    let feed = EventFeed(limit: 6 << 10) { _ in .proceed }
    let part = [UInt8](repeating: 0x78, count: 3 << 10)
    for _ in 0..<2 { _ = feed.take(part.span) }
    #expect(!feed.isEndless)
    guard case .stop = feed.take(part.span) else {
      Issue.record("the feed did not stop")
      return
    }
    #expect(feed.isEndless)
  }
}

import GLibBridge
import Testing

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct EventFeedTests {
  private static func stream(_ count: Int) -> ArraySlice<UInt8> {
    ArraySlice((0..<count).map { "data: \($0)\n\n" }.joined().utf8)
  }

  private static func text(_ data: borrowing Span<UInt8>) -> String {
    String(decoding: Array(copying: data), as: UTF8.self)
  }

  /// A chunk of many events is taken in slices.
  @Test func othersHaveTheirTurnBetween() async {
    var taken: [String] = []
    let feed = EventFeed { data in
      taken.append(Self.text(data))
      return .more
    }
    var turns = 0
    let other = Task.onGLib {
      while !Task.isCancelled {
        turns += 1
        await Task.yield()
      }
    }
    #expect(await feed.take(Self.stream(50_000)).wantsMore())
    other.cancel()
    #expect(taken == (0..<50_000).map(String.init))
    #expect(turns >= 5)
  }

  @Test func whatIsDecidedLaterComesBeforeTheNextEvent() async {
    var taken: [String] = []
    let feed = EventFeed { data in
      let text = Self.text(data)
      return .later(
        Task.onGLib {
          await Task.yield()
          taken.append(text)
          return text == "2" ? .stop : .more
        })
    }
    #expect(await !feed.take(Self.stream(5)).wantsMore())
    #expect(taken == ["0", "1", "2"])
  }

  @Test func aPauseConcernsTheSenderAlone() async {
    var taken = 0
    let pause = Wait()
    let feed = EventFeed { _ in
      taken += 1
      return taken == 1 ? .pause(until: Task.onGLib { await pause.value() }) : .more
    }
    let verdict = feed.take(Self.stream(3))
    #expect(taken == 3)
    guard case .pause = verdict else {
      Issue.record("another verdict: \(verdict)")
      return
    }
    pause.finish()
    #expect(await verdict.wantsMore())
  }

  @Test func anEventWithoutAnEndIsGivenUp() {
    let feed = EventFeed(limit: 6 << 10) { _ in .more }
    let part = ArraySlice([UInt8](repeating: 0x78, count: 3 << 10))
    for _ in 0..<2 { _ = feed.take(part) }
    #expect(!feed.isEndless)
    guard case .stop = feed.take(part) else {
      Issue.record("it goes on")
      return
    }
    #expect(feed.isEndless)
  }
}

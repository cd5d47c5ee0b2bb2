// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK
@testable import ChappieService

@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct DeltaCoalescerTests {
  /// Records the signals of a coalescer.
  @GLibActor
  private final class Signals {
    private(set) var sent: [(offset: Int, text: String, time: ContinuousClock.Instant)] = []
    private let answer = AnswerText()
    private lazy var coalescer = DeltaCoalescer(answer) { [unowned self] offset, text in
      sent.append((offset, String(text), .now))
    }

    func add(_ piece: String) {
      answer.append(piece)
      coalescer.grew()
    }

    func flush() { coalescer.flush() }

    var texts: [String] { sent.map(\.text) }
    var text: String { texts.joined() }
    var byteCount: Int { sent.reduce(0) { $0 + $1.text.utf8.count } }

    /// Whether each offset is the number of bytes before it.
    var offsetsAreRight: Bool {
      var next = 0
      return sent.allSatisfy { signal in
        defer { next += signal.text.utf8.count }
        return signal.offset == next
      }
    }

    /// Waits until the coalescer has sent `count` bytes.
    func until(_ count: Int) async throws {
      try await eventually("\(count) bytes") { byteCount >= count }
    }
  }

  @Test func sendsEachByteOnceAndInOrder() async throws {
    let signals = Signals()
    var expected = ""
    for index in 0..<5000 {
      let piece = ["Grüß ", "😀", "日本語", "\n", "a"][index % 5] + "\(index)"
      expected += piece
      signals.add(piece)
      if index % 97 == 0 { await Task.yield() }
    }
    try await signals.until(expected.utf8.count)
    #expect(signals.text == expected)
    #expect(signals.offsetsAreRight)
  }

  /// The coalescer joins the deltas of a burst and does not delay a delta that arrives alone.
  @Test func sendsAtMostOneSignalPerInterval() async throws {
    let signals = Signals()
    for _ in 0..<20_000 { signals.add("x") }
    try await signals.until(20_000)
    #expect(signals.sent.count < 20_000)
    for (earlier, later) in zip(signals.sent, signals.sent.dropFirst()) {
      #expect(later.time - earlier.time >= DeltaCoalescer.interval)
    }
  }

  @Test func sendsTheFirstDeltaAndOneAfterAPauseAtOnce() async throws {
    let signals = Signals()
    signals.add("one")
    #expect(signals.texts == ["one"])
    try await sleep(for: DeltaCoalescer.interval)
    signals.add("two")
    #expect(signals.texts == ["one", "two"])
  }

  @Test func sendsALargeTextBeforeTheInterval() {
    let signals = Signals()
    let piece = String(repeating: "x", count: 1000)
    for count in 1...1000 {
      signals.add(piece)
      // No timer fires in this loop, because nothing else runs on the actor.
      #expect(count * 1000 - signals.byteCount < DeltaCoalescer.sizeLimit)
    }
    signals.add(String(repeating: "y", count: DeltaCoalescer.sizeLimit))
    #expect(signals.byteCount == 1_000_000 + DeltaCoalescer.sizeLimit)
    #expect(signals.offsetsAreRight)
  }

  @Test func flushSendsWaitingDeltasOnce() async throws {
    let signals = Signals()
    signals.add("")
    signals.flush()
    signals.add("one")
    signals.add("two")
    signals.flush()
    #expect(signals.text == "onetwo")
    #expect(signals.offsetsAreRight)
    let count = signals.sent.count
    signals.flush()
    // Without the flush, the timer that the second delta started would send it a second time.
    try await sleep(for: DeltaCoalescer.interval + .milliseconds(1))
    #expect(signals.sent.count == count)
    #expect(!signals.texts.contains(""))
  }
}

@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct SendWindowTests {
  @Test func aFullWindowPausesTheProducer() async {
    let taken = Wait()
    var drains = 0
    let window = SendWindow {
      drains += 1
      await taken.value()
    }
    window.sent(SendWindow.limit / 2)
    #expect(!window.flow.isPause)
    window.sent(SendWindow.limit / 2)
    // Repeated questions and further messages start no second drain.
    for _ in 0..<3 {
      #expect(window.flow.isPause)
      window.sent(1)
    }
    let flow = window.flow
    for _ in 0..<10 { await Task.yield() }
    #expect(window.flow.isPause)
    taken.finish()
    #expect(await flow.goesOn())
    #expect(!window.flow.isPause)
    #expect(drains == 1)
  }

  /// A signal of one word takes far more memory than the word, so each message counts with its overhead.
  @Test func shortMessagesCountWithTheirOverhead() {
    let taken = Wait()
    let window = SendWindow { await taken.value() }
    var count = 0
    while !window.flow.isPause, count < 1 << 20 {
      window.sent(5)
      count += 1
    }
    #expect(count * SendWindow.messageOverhead <= SendWindow.limit)
    taken.finish()
  }
}

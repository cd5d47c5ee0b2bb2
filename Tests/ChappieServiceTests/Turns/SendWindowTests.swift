// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieService

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct SendWindowTests {
  /// A bus that takes the sent messages when the test says so.
  @GLibActor
  private final class Bus {
    private(set) var drains = 0
    private(set) var taken = Wait()

    func drain() async {
      drains += 1
      await taken.value()
      taken = Wait()
    }
  }

  private let bus = Bus()

  private func isPaused(_ window: SendWindow) -> Bool {
    if case .pause = window.flow { return true }
    return false
  }

  @Test func aFullWindowPausesTheProducer() async {
    let window = SendWindow { [bus] in await bus.drain() }
    window.sent(SendWindow.limit / 2)
    #expect(!isPaused(window))
    window.sent(SendWindow.limit / 2)
    // Repeated questions and further messages start no second drain.
    for _ in 0..<3 {
      #expect(isPaused(window))
      window.sent(1)
    }
    let flow = window.flow
    for _ in 0..<10 { await Task.yield() }
    #expect(isPaused(window))
    bus.taken.finish()
    #expect(await flow.goesOn())
    #expect(!isPaused(window))
    #expect(bus.drains == 1)
  }

  /// A signal of one word takes far more memory than the word, so each message counts with its overhead.
  @Test func shortMessagesCountWithTheirOverhead() {
    let window = SendWindow { [bus] in await bus.drain() }
    var count = 0
    while !isPaused(window), count < 1 << 20 {
      window.sent(5)
      count += 1
    }
    #expect(count * SendWindow.messageOverhead <= SendWindow.limit)
    bus.taken.finish()
  }
}

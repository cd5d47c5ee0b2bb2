import GLibBridge
import Testing

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct TurnstileTests {
  @Test func onePassesAtATimeInTheOrderOfArrival() async throws {
    let turnstile = Turnstile()
    var inside = 0
    var order: [Int] = []
    let tasks = (0..<20).map { index in
      Task { @GLibActor in
        try await turnstile.pass {
          inside += 1
          #expect(inside == 1)
          await Task.yield()
          order.append(index)
          inside -= 1
        }
      }
    }
    for task in tasks { try await task.value }
    #expect(order == Array(0..<20))
  }

  @Test func returnsWhatTheBodyReturns() async throws {
    #expect(try await Turnstile().pass { 7 } == 7)
  }

  @Test func aFailureLetsTheNextPass() async throws {
    struct Refusal: Error {}
    let turnstile = Turnstile()
    await #expect(throws: Refusal.self) { try await turnstile.pass { throw Refusal() } }
    #expect(try await turnstile.pass { 7 } == 7)
  }

  @Test func whoIsCancelledWhileWaitingDoesNotEnter() async throws {
    let turnstile = Turnstile()
    let (entered, leave) = (Wait(), Wait())
    let first = Task { @GLibActor in
      try await turnstile.pass {
        entered.finish()
        await leave.value()
      }
    }
    await entered.value()
    var secondEntered = false
    let second = Task { @GLibActor in try await turnstile.pass { secondEntered = true } }
    let third = Task { @GLibActor in try await turnstile.pass { 3 } }
    await Task.yield()
    second.cancel()
    leave.finish()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(!secondEntered)
    #expect(try await third.value == 3)
    try await first.value
  }
}

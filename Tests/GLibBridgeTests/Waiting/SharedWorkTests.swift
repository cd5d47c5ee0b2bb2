import TestSupport
import Testing

@testable import GLibBridge

@GLibActor
struct SharedWorkTests {
  @Test func thoseWhoAskMeanwhileShareTheResult() async throws {
    let gate = Wait()
    var count = 0
    let work = SharedWork {
      count += 1
      await gate.value()
      return count
    }
    async let first = work.value()
    async let second = work.value()
    try await eventually { count == 1 }
    gate.finish()
    #expect(try await [first, second] == [1, 1])
    #expect(try await work.value() == 2)
  }

  @Test func oneWhoLeavesDoesNotEndTheWork() async throws {
    let gate = Wait()
    let work = SharedWork {
      await gate.value()
      return 1
    }
    let leaving = Task.onGLib { try await work.value() }
    async let staying = work.value()
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    gate.finish()
    #expect(try await staying == 1)
  }
}

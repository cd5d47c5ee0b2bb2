// SPDX-License-Identifier: Apache-2.0
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
    // Both run in this order, before the work itself.
    let callers = (1...2).map { _ in Task.onGLib { try await work.value() } }
    try await eventually { count == 1 }
    gate.finish()
    for caller in callers { #expect(try await caller.value == 1) }
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

// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import GLibBridge

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct WaitTests {
  @Test func resumesWaitersInOrder() async {
    let wait = Wait()
    var started = 0
    var order: [Int] = []
    // A plain task resumes on a thread of Swift's pool first, so several of them return to the actor in any order.
    let tasks = (0..<10).map { index in
      Task.onGLib {
        started += 1
        await wait.value()
        order.append(index)
      }
    }
    while started < 10 { await Task.yield() }
    #expect(order.isEmpty)
    wait.finish()
    for task in tasks { await task.value }
    #expect(order == Array(0..<10))
  }

  @Test func finishTwiceHasNoEffect() async {
    let wait = Wait()
    let task = Task { @GLibActor in await wait.value() }
    await Task.yield()
    wait.finish()
    wait.finish()
    await task.value
    await wait.value()
  }

  // MARK: Cancellation

  @Test func cancellationEndsTheWait() async {
    let wait = Wait()
    let task = Task { @GLibActor in await wait.valueOrCancelled() }
    await Task.yield()
    task.cancel()
    await task.value
  }

  @Test func untilEndedWaitsForTheTask() async throws {
    let gate = Wait()
    var ended = false
    let task = Task { @GLibActor in
      await gate.value()
      ended = true
    }
    gate.finish()
    try await task.untilEnded()
    #expect(ended)
  }

  @Test func cancellingTheWaiterDoesNotCancelTheTask() async {
    let gate = Wait()
    let task = Task { @GLibActor in await gate.value() }
    let waiter = Task { @GLibActor in try await task.untilEnded() }
    await Task.yield()
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(!task.isCancelled)
    gate.finish()
    await task.value
  }
}

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

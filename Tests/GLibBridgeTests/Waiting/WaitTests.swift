// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

@Suite(.timeLimit(.minutes(10)))
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
    for _ in 1...2 { wait.finish() }
    for task in tasks { await task.value }
    #expect(order == Array(0..<10))
  }

  @Test func cancellingTheWaiterDoesNotCancelTheTask() async throws {
    let gate = Wait()
    var ended = false
    let task = Task { @GLibActor in
      await gate.value()
      ended = true
    }
    let waiter = Task { @GLibActor in try await task.untilEnded() }
    await Task.yield()
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(!task.isCancelled)
    gate.finish()
    try await task.untilEnded()
    #expect(ended)
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

@GLibActor
struct ObserversTests {
  private let observers = Observers<Int>()

  @Test func callsObserversInOrderUntilTheirObservationsEnd() {
    var calls: [String] = []
    let first = observers.observe { calls.append("first \($0)") }
    var second: Observation? = observers.observe { calls.append("second \($0)") }
    observers.observeForGood { calls.append("third \($0)") }
    observers.notify(1)
    withExtendedLifetime(second) {}
    second = nil
    observers.notify(2)
    withExtendedLifetime(first) {}
    #expect(calls == ["first 1", "second 1", "third 1", "first 2", "third 2"])
  }

  @Test func anObserverMayHoldTheLastReferenceToAnotherObservation() {
    var calls = 0
    var inner: Observation? = observers.observe { _ in calls += 1 }
    var outer: Observation? = observers.observe { [inner] _ in withExtendedLifetime(inner) { calls += 1 } }
    inner = nil
    observers.notify(1)
    #expect(calls == 2)
    withExtendedLifetime(outer) {}
    outer = nil
    observers.notify(2)
    #expect(calls == 2)
  }
}

@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct FlowControlTests {
  private func pause(_ wait: Wait) -> FlowControl { .pause(until: Task.onGLib { await wait.value() }) }

  @Test func aStopOverridesAnyOtherFlow() async {
    let never = Wait()
    for flow in [FlowControl.proceed, .stop, pause(never), .decide(Task.onGLib { .proceed })] {
      #expect(await !flow.combined(with: .stop).goesOn())
      #expect(await !FlowControl.stop.combined(with: flow).goesOn())
    }
    never.finish()
  }

  @Test func waitsForBothPauses() async {
    for isReversed in [false, true] {
      let waits = [Wait(), Wait()]
      let flow = pause(waits[0]).combined(with: pause(waits[1]))
      var goesOn = false
      let waiting = Task.onGLib { goesOn = await flow.goesOn() }
      for wait in isReversed ? waits.reversed() : waits {
        for _ in 0..<10 { await Task.yield() }
        #expect(!goesOn)
        wait.finish()
      }
      await waiting.value
      #expect(goesOn)
    }
  }

  @Test func aLaterStopOverridesAPause() async {
    let wait = Wait()
    for isReversed in [false, true] {
      let flows = [pause(wait), FlowControl.decide(Task.onGLib { .stop })]
      let combined = isReversed ? flows[1].combined(with: flows[0]) : flows[0].combined(with: flows[1])
      wait.finish()
      #expect(await !combined.goesOn())
    }
  }
}

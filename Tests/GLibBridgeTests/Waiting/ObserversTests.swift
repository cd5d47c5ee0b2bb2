// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@Suite(.timeLimit(.minutes(1)))
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

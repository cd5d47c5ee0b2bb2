// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct TimerTests {
  @Test func firesOnceAfterItsDelayUnlessItIsCancelledOrReleased() async {
    var fired: [String] = []
    let timer = Timer(after: .zero) { fired.append("timer") }
    let long = Timer(after: .seconds(3600)) { fired.append("long") }
    let cancelled = Timer(after: .milliseconds(1)) { fired.append("cancelled") }
    for _ in 1...2 { cancelled.cancel() }
    do { _ = Timer(after: .milliseconds(1)) { fired.append("released") } }
    await laterThan(.milliseconds(1))
    #expect(fired == ["timer"])
    for timer in [timer, long] { timer.cancel() }
  }

  @Test func actionMayReplaceTheTimer() async {
    let done = Wait()
    var timer: Timer?
    timer = Timer(after: .zero) {
      timer?.cancel()
      timer = Timer(after: .zero) { done.finish() }
    }
    await done.value()
    timer?.cancel()
  }

  @Test func cancelReleasesTheAction() async {
    final class Captured {}
    weak var captured: Captured?
    do {
      let object = Captured()
      captured = object
      let timer = Timer(after: .seconds(3600)) { withExtendedLifetime(object) {} }
      #expect(captured != nil)
      timer.cancel()
    }
    #expect(captured == nil)
  }

  /// Waits until an earlier timer with the same delay has fired. Of timers that are due at the same time, GLib fires
  /// the oldest first.
  private func laterThan(_ delay: Duration) async {
    let done = Wait()
    let timer = Timer(after: delay + .milliseconds(5)) { done.finish() }
    await done.value()
    timer.cancel()
  }

  @Test(arguments: [
    (Duration.zero, UInt32(0)), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1001), 2),
    (.seconds(2), 2000), (.milliseconds(-5), 0), (.seconds(-5), 0), (.seconds(Int64.min), 0),
    (.seconds(4_294_967), 4_294_967_000), (.seconds(4_294_968), UInt32.max), (.seconds(Int64.max), .max),
    (Duration(secondsComponent: .max / 1000, attosecondsComponent: 999_999_999_999_999_999), .max),
  ])
  nonisolated func delaysAreRoundedUpToMilliseconds(_ duration: Duration, _ milliseconds: UInt32) {
    #expect(duration.wholeMilliseconds == milliseconds)
  }

  /// Before it begins, and while it lasts.
  @Test(arguments: [false, true]) func cancellationEndsASleep(_ isEarly: Bool) async {
    let (gate, started) = (Wait(), Wait())
    let task = Task { @GLibActor in
      if isEarly { await gate.value() }
      started.finish()
      try await sleep(for: .seconds(3600))
    }
    if !isEarly { await started.value() }
    task.cancel()
    gate.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

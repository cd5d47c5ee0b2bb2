// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@Suite(.timeLimit(.minutes(1)))
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

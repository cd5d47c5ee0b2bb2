// SPDX-License-Identifier: Apache-2.0
import Synchronization

@testable import GLibBridge

@GLibActor
struct PromptThrottleTests {
  /// A clock that the test sets.
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func pass(_ duration: Duration) {
      time.withLock { $0 += duration }
    }
  }

  private let clock: Clock
  private let gate: PromptThrottle

  init() {
    let clock = Clock()
    self.clock = clock
    gate = PromptThrottle { clock.now }
  }

  /// Runs a prompt for a group, which the user refuses or accepts. Returns whether the prompt was shown.
  private func asks(_ group: String, refusing: Bool = true) async -> Bool {
    var asked = false
    await CallerGroup.$current.withValue(group) {
      try? await gate.pass {
        asked = true
        clock.pass(.seconds(1))
        if refusing { throw SecretStoreError.locked }
      } quiet: {
      }
    }
    return asked
  }

  @Test func backsOffLongerAfterEachRefusal() async {
    for pause in [30, 60, 120, 240, 480, 480] {
      #expect(await asks("app"))
      #expect(gate.isBackingOff("app") && !gate.isBackingOff("other"))
      clock.pass(.seconds(pause - 1))
      #expect(await !asks("app"))
      clock.pass(.seconds(1))
    }
    // After a long time the back-off starts from the beginning.
    clock.pass(.seconds(1000))
    #expect(await asks("app"))
    clock.pass(.seconds(960))
    #expect(await asks("other"))
    clock.pass(.seconds(31))
    #expect(await asks("other"))
  }

  @Test func consentEndsTheBackOff() async {
    #expect(await asks("app"))
    clock.pass(.seconds(30))
    #expect(await asks("app", refusing: false))
    #expect(await asks("app"))
    clock.pass(.seconds(30))
    #expect(await asks("app"))
  }

  /// A prompt that nobody can have read is asked for once more. It is refused if the second was there for long enough.
  @Test(arguments: [299, 300])
  func aPromptThatNobodyReadIsNoRefusal(_ milliseconds: Int) async throws {
    var prompts = 0
    let asking = Task.onGLib {
      try await gate.pass {
        prompts += 1
        // The keyring may take its time until it shows the prompt.
        clock.pass(.seconds(1))
        gate.promptBegins()
        clock.pass(.milliseconds(prompts == 1 ? 299 : milliseconds))
        throw SecretStoreError.locked
      } quiet: {
      }
    }
    await #expect(throws: SecretStoreError.locked) { try await asking.value }
    #expect(prompts == 2)
    #expect(gate.isBackingOff("") == (milliseconds == 300))
  }

  /// A program that takes its prompts away at once cannot cover the screen with them.
  @Test func aPromptThatIsTakenAwayCountsAsRefused() async {
    var prompts = 0
    try? await gate.pass {
      prompts += 1
      throw CancellationError()
    } quiet: {
    }
    #expect(prompts == 1)
    #expect(gate.isBackingOff(""))
  }

  @Test func doesNotPromptWhileAPromptIsOpen() async throws {
    let consent = Wait()
    var isOpen = false
    let ask: @GLibActor @Sendable () async throws -> String = {
      try await gate.pass {
        isOpen = true
        await consent.value()
        return "asked"
      } quiet: {
        "quiet"
      }
    }
    let asking = Task.onGLib { try await ask() }
    while !isOpen { await Task.yield() }
    let others = (0..<3).map { _ in Task.onGLib { try await ask() } }
    consent.finish()
    #expect(try await asking.value == "asked")
    for other in others { #expect(try await other.value == "quiet") }
    #expect(try await ask() == "asked")
  }
}

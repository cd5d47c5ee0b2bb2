// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct SleepTests {
  @Test func returnsAfterItsDelay() async throws {
    var ended = false
    let long = Task { @GLibActor in
      try await sleep(for: .seconds(3600))
      ended = true
    }
    for delay in [.zero, .seconds(-1), .milliseconds(5)] as [Duration] { try await sleep(for: delay) }
    #expect(!ended)
    long.cancel()
  }

  @Test func cancellationEndsIt() async {
    let started = Wait()
    let task = Task { @GLibActor in
      started.finish()
      try await sleep(for: .seconds(3600))
    }
    await started.value()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func throwsAtOnceInACancelledTask() async {
    let gate = Wait()
    let task = Task { @GLibActor in
      await gate.value()
      try await sleep(for: .seconds(3600))
    }
    task.cancel()
    gate.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

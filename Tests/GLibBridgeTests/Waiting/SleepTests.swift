// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct SleepTests {
  @Test func returns() async throws {
    try await sleep(for: .zero)
    try await sleep(for: .milliseconds(1))
    try await sleep(for: .seconds(-1))
  }

  @Test func lastsForItsDelay() async throws {
    var ended = false
    let long = Task { @GLibActor in
      try await sleep(for: .seconds(3600))
      ended = true
    }
    try await sleep(for: .milliseconds(5))
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

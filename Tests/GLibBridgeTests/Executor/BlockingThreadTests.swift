// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

/// Callers that cannot `await`.
@Suite(.timeLimit(.minutes(1)))
struct BlockingThreadTests {
  @Test func blocksTheThreadUntilTheWorkCompletes() {
    let outcome = GLibActor.block(atMost: .seconds(30)) {
      try? await sleep(for: .milliseconds(50))
      return 42
    }
    guard case .completed(42) = outcome else { return #expect(Bool(false), "\(outcome)") }
  }

  @Test func returnsTimedOutAfterTheDeadline() async {
    let gate = await Wait()
    let outcome = GLibActor.block(atMost: .milliseconds(20)) { await gate.value() }
    guard case .timedOut = outcome else { return #expect(Bool(false), "\(outcome)") }
    await gate.finish()
  }

  /// Blocking the actor's thread would be a deadlock.
  @GLibActor @Test func doesNotBlockTheActorsThread() async throws {
    let ran = Promise<Bool>()
    let outcome = GLibActor.block(atMost: .seconds(30)) { ran.fulfil(true) }
    guard case .onActorThread = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(try await ran.value())
  }

  /// All threads of Swift's pool are blocked; the work needs none of them.
  @Test func worksWhileAllPoolThreadsAreBlocked() async {
    await withTaskGroup { group in
      for _ in 0..<64 {
        group.addTask {
          let outcome = GLibActor.block(atMost: .seconds(30)) {
            try? await sleep(for: .milliseconds(10))
            return true
          }
          guard case .completed(true) = outcome else { return false }
          return true
        }
      }
      for await hasEnded in group { #expect(hasEnded) }
    }
  }
}

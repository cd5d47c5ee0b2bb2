// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import GLibBridge

@Suite(.timeLimit(.minutes(10)))
struct GLibActorTests {
  /// State that is isolated to the actor and has no lock.
  @GLibActor
  private final class Ledger {
    private(set) var notes: [(task: Int, note: Int)] = []

    nonisolated init() {}

    func write(_ task: Int, _ note: Int) {
      notes.append((task, note))
    }
  }

  @Test func runsAllJobsInTheOrderOfEachTask() async {
    let ledger = Ledger()
    await withTaskGroup { group in
      for task in 0..<20 {
        group.addTask {
          let posts = (0..<500).map { note in Task { @GLibActor in ledger.write(task, note) } }
          for post in posts { await post.value }
        }
      }
    }
    let notes = await ledger.notes
    #expect(notes.count == 10_000)
    for task in 0..<20 {
      #expect(notes.filter { $0.task == task }.map(\.note) == Array(0..<500), "task \(task)")
    }
  }

  /// A task that enqueues jobs forever must not starve timers and sockets.
  @Test @GLibActor func timersRunBetweenJobs() async {
    var fired = false
    let timer = Timer(after: .zero) { fired = true }
    while !fired { await Task.yield() }
    timer.cancel()
  }
}

/// Callers that cannot `await`.
@Suite(.timeLimit(.minutes(10)))
struct BlockingThreadTests {
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

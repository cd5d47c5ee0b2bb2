// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

@Suite(.timeLimit(.minutes(1)))
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

  @Test func recognisesItsOwnThread() async {
    let executor = GLibActor.shared.executor
    #expect(executor.isIsolatingCurrentContext() == false)
    let isInside = await Task { @GLibActor in executor.isIsolatingCurrentContext() }.value
    #expect(isInside == true)
  }

  @Test @GLibActor func assumeIsolatedRunsSynchronously() throws {
    var ran = false
    GLibActor.assumeIsolated { ran = true }
    #expect(ran)
    #expect(throws: CancellationError.self) {
      try GLibActor.assumeIsolated { throw CancellationError() }
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

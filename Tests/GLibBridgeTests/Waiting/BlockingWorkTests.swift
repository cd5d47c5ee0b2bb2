// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Synchronization

/// Work outside of the actor.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct BlockingWorkTests {
  /// The work waits for the actor. If the actor waited for the work, this would deadlock.
  @Test func doesNotBlockTheActorAndHasADeadline() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    // Not closed: on a busy machine the work that is given up may read later, and then from another file of this number.
    let (reader, writer) = (ends[0], ends[1])
    let work: @Sendable () -> Int = {
      var byte: UInt8 = 0
      return read(reader, &byte, 1)
    }
    // The work that is given up takes the first byte.
    #expect(await offActor(deadline: .milliseconds(20), work) == nil)
    #expect(write(writer, "x", 1) == 1)
    async let count: Int? = offActor(deadline: .seconds(30), work)
    try await sleep(for: .milliseconds(1))
    #expect(write(writer, "x", 1) == 1)
    #expect(await count == 1)
  }

  /// Each thread counts for the limit of the unit, and GLib ends a process that gets no more.
  @Test func aBurstOfWorkHasABoundedNumberOfThreads() async {
    let running = Running()
    let tasks = (0..<300).map { _ in
      Task.onGLib {
        await offActor {
          running.change(by: 1)
          usleep(1000)
          running.change(by: -1)
        }
      }
    }
    for task in tasks { await task.value }
    #expect((1...32).contains(running.most))
  }

  private final class Running: Sendable {
    private let counts = Mutex([0, 0])

    var most: Int { counts.withLock { $0[1] } }

    func change(by step: Int) {
      counts.withLock { $0 = [$0[0] + step, max($0[1], $0[0] + step)] }
    }
  }

  /// Work that never ends holds up no other.
  @Test func workThatHangsHoldsUpNoOther() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (gate, opener) = (ends[0], ends[1])
    defer { close(gate) }
    let tasks = (0..<40).map { _ in
      Task.onGLib {
        await onNewThread {
          var byte: UInt8 = 0
          return read(gate, &byte, 1)
        }
      }
    }
    #expect(await offActor { 1 } == 1)
    #expect(await offActor(deadline: .seconds(600)) { 1 } == 1)
    close(opener)
    for task in tasks { #expect(await task.value == 0) }
  }
}

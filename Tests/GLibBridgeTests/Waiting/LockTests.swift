// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge
@testable import Platform

@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct LockTests {
  @Test func oneTaskAtATimeHoldsTheMutexInOrderOfArrival() async throws {
    let mutex = AsyncMutex()
    var inside = 0
    var order: [Int] = []
    let tasks = (0..<20).map { index in
      Task { @GLibActor in
        try await mutex.withLock {
          inside += 1
          #expect(inside == 1)
          await Task.yield()
          order.append(index)
          inside -= 1
        }
      }
    }
    for task in tasks { try await task.value }
    #expect(order == Array(0..<20))
  }

  @Test func aFailureReleasesTheMutex() async throws {
    struct Refusal: Error {}
    let mutex = AsyncMutex()
    await #expect(throws: Refusal.self) { try await mutex.withLock { throw Refusal() } }
    #expect(try await mutex.withLock { 7 } == 7)
  }

  @Test func aTaskCancelledWhileWaitingDoesNotGetTheMutex() async throws {
    let mutex = AsyncMutex()
    let (entered, leave) = (Wait(), Wait())
    let first = Task { @GLibActor in
      try await mutex.withLock {
        entered.finish()
        await leave.value()
      }
    }
    await entered.value()
    var secondEntered = false
    let second = Task { @GLibActor in try await mutex.withLock { secondEntered = true } }
    let third = Task { @GLibActor in try await mutex.withLock { 3 } }
    await Task.yield()
    second.cancel()
    leave.finish()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(!secondEntered)
    #expect(try await third.value == 3)
    try await first.value
  }

  @Test func aFileLockIsWaitedForUntilItsRelease() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/test.lock"
    var holder: FileLock? = try await FileLock.take(path, deadline: .seconds(30))
    let second = Promise<FileLock>()
    let waiting = Task.onGLib { second.fulfil(try await FileLock.take(path, deadline: .seconds(3600))) }
    // This later attempt times out, which shows that the second one has tried by now.
    await #expect(throws: FileError.inUse) { try await FileLock.take(path, deadline: .milliseconds(30)) }
    #expect(!second.isFulfilled)
    withExtendedLifetime(holder) {}
    holder = nil
    _ = try await second.value()
    try await waiting.value
    withExtendedLifetime(directory) {}
  }

  @Test func cancellationEndsTheWaitForAFileLock() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/test.lock"
    let holder = try await FileLock.take(path, deadline: .seconds(30))
    let second = Task { @GLibActor in _ = try await FileLock.take(path, deadline: .seconds(3600)) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    withExtendedLifetime((holder, directory)) {}
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TestSupport
import Testing

@testable import Platform

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct FileLockWaitingTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var path: String { directory.path + "/test.lock" }

  @Test func throwsInUseAfterTheDeadline() async throws {
    let first = try await FileLock.take(path, deadline: .seconds(30))
    await #expect(throws: FileError.inUse) { try await FileLock.take(path, deadline: .zero) }
    withExtendedLifetime(first) {}
  }

  @Test func waitsUntilTheLockIsReleased() async throws {
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
  }

  @Test func cancellationEndsTheWait() async throws {
    let holder = try await FileLock.take(path, deadline: .seconds(30))
    let second = Task { @GLibActor in _ = try await FileLock.take(path, deadline: .seconds(3600)) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    withExtendedLifetime(holder) {}
  }
}

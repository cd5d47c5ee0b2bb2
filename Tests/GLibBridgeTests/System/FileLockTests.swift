import FoundationEssentials
import GLibBridge
import Testing

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct FileLockTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var path: String { directory.path + "/test.lock" }

  @Test func isTakenAgainOnceItIsLetGo() async throws {
    for _ in 0..<3 { _ = try await FileLock.take(path, deadline: .seconds(30)) }
    #expect(Files.exists(path))
  }

  @Test func isHeldByOneAtATime() async throws {
    let first = try await FileLock.take(path, deadline: .seconds(30))
    await #expect(throws: GLibError.timedOut) { try await FileLock.take(path, deadline: .zero) }
    withExtendedLifetime(first) {}
  }

  @Test func waitsForWhoeverHasIt() async throws {
    var holder: FileLock? = try await FileLock.take(path, deadline: .seconds(30))
    let second = Task { @GLibActor in try await FileLock.take(path, deadline: .seconds(3600)) }
    await Task.yield()
    withExtendedLifetime(holder) {}
    holder = nil
    _ = try await second.value
  }

  @Test func stopsWaitingWhenItsTaskIsCancelled() async throws {
    let holder = try await FileLock.take(path, deadline: .seconds(30))
    let second = Task { @GLibActor in _ = try await FileLock.take(path, deadline: .seconds(3600)) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    withExtendedLifetime(holder) {}
  }

  @Test func anotherFileIsAnotherLock() async throws {
    let first = try await FileLock.take(path, deadline: .seconds(30))
    _ = try await FileLock.take(path + "2", deadline: .zero)
    withExtendedLifetime(first) {}
  }

  /// A link that somebody put there must not have a file elsewhere made or opened.
  @Test func followsNoLink() async throws {
    let target = directory.path + "/target"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    await #expect(throws: GLibError.self) { try await FileLock.take(path, deadline: .zero) }
    #expect(!Files.exists(target))
  }

  @Test func aDirectoryThatIsMissingIsAnError() async {
    await #expect(throws: GLibError.self) {
      try await FileLock.take(directory.path + "/missing/test.lock", deadline: .zero)
    }
  }
}

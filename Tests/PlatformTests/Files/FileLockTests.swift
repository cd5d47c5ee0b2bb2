import FoundationEssentials
import GLibBridge
import Glibc
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
    await #expect(throws: StorageError.notRegular) { try await FileLock.take(path, deadline: .zero) }
    #expect(!Files.exists(target))
  }

  @Test func aHardLinkIsRefusedAndItsOtherNameIsAsItWas() async throws {
    let document = try directory.file("document", Array("precious".utf8))
    #expect(link(document, path) == 0)
    await #expect(throws: StorageError.linked) { try await FileLock.take(path, deadline: .zero) }
    #expect(try Files.read(document) == Array("precious".utf8))
  }

  @Test func whatIsNoFileIsRefused() async throws {
    #expect(mkfifo(path, 0o600) == 0)
    await #expect(throws: StorageError.notRegular) { try await FileLock.take(path, deadline: .zero) }
    #expect(mkdir(path + "2", 0o700) == 0)
    await #expect(throws: StorageError.notRegular) { try await FileLock.take(path + "2", deadline: .zero) }
    await #expect(throws: StorageError.notRegular) { try await FileLock.take("/dev/null", deadline: .zero) }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give a file away."))
  func theFileOfAnotherUserIsRefused() async throws {
    _ = try directory.file("test.lock", [])
    #expect(chown(path, 65534, 65534) == 0)
    await #expect(throws: StorageError.foreign) { try await FileLock.take(path, deadline: .zero) }
  }

  /// It is no lock's business what is in its file.
  @Test func theFileIsNeverWritten() async throws {
    _ = try directory.file("test.lock", [1, 2, 3])
    _ = try await FileLock.take(path, deadline: .zero)
    #expect(try Files.read(path) == [1, 2, 3])
  }

  @Test func aDirectoryThatIsMissingIsAnError() async {
    await #expect(throws: StorageError.missing) {
      try await FileLock.take(directory.path + "/missing/test.lock", deadline: .zero)
    }
  }
}

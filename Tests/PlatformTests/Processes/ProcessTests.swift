// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Platform

struct ProcDirectoryTests {
  private static func handle(_ processID: pid_t) throws -> ProcessHandle {
    try #require(ProcessHandle(processID))
  }

  @Test func readsThisProcess() throws {
    let files = try ProcDirectory(getpid(), Self.handle(getpid()))
    #expect(files.isRunning)
    #expect(try files.userNamespace() == ProcDirectory.own().userNamespace())
    #expect(try files.root().identity() == ProcDirectory.own().root().identity())
    #expect(try !files.content(of: "comm").isEmpty)
  }

  private static func stat(_ name: String, group: Int, foreground: Int) -> [UInt8] {
    Array("7 (\(name)) S 1 \(group) 5 34816 \(foreground) 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0\n".utf8)
  }

  /// A program chooses its name.
  @Test(arguments: ["sh", "a) b (c", ")a b 5 c d 5 \u{600}", ") S 1 9 5 34816 9 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0"])
  func noNameForgesTheStatus(_ name: String) throws {
    let status = try #require(ProcDirectory.Status(Self.stat(name, group: 7, foreground: 9)))
    #expect(status.startTime == 777 && !status.isInForeground)
    // The foreground is that of a terminal.
    #expect(try #require(ProcDirectory.Status(Self.stat(name, group: 7, foreground: 7))).isInForeground)
    #expect(try !#require(ProcDirectory.Status(Self.stat(name, group: -1, foreground: -1))).isInForeground)
    #expect(ProcDirectory.Status(Array("7 sh S".utf8)) == nil)
  }

  @Test func readsFilesInTheRootDirectory() throws {
    let root = try ProcDirectory.own().root()
    #expect(throws: FileError.missing) { try root.content(of: ".there-is-no-such-file", limit: 10) }
    #expect(throws: FileError.notRegular) { try root.content(of: "usr", limit: 10) }
    #expect(!(try root.content(of: "etc/passwd", limit: 1 << 20)).isEmpty)
    #expect(throws: FileError.tooLarge(limit: 3)) { try root.content(of: "etc/passwd", limit: 3) }
  }

  /// The open directory stays bound to its process, so files of a process that reuses the ID are never read.
  @Test func readsNothingAfterTheProcessHasEnded() throws {
    var processID: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/cat"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawn(&processID, "/bin/cat", nil, nil, &arguments, nil) == 0)
    let handle = try Self.handle(processID)
    let files = try ProcDirectory(processID, handle)
    kill(processID, SIGKILL)
    var status: Int32 = 0
    #expect(waitpid(processID, &status, 0) == processID)
    #expect(!files.isRunning && !handle.isRunning)
    #expect(throws: FileError.missing) { try ProcDirectory(processID, handle) }
    #expect(throws: FileError.missing) { try files.root() }
    #expect(throws: FileError.missing) { try files.userNamespace() }
    #expect(throws: FileError.missing) { try files.content(of: "comm") }
  }
}

struct ProcessHandleTests {
  @Test func knowsItsProcess() throws {
    #expect(try #require(ProcessHandle(getpid())).processID == getpid())
    #expect(try #require(ProcessHandle(getppid())).processID == getppid())
    // A descriptor that is no pidfd has no process.
    let file = try #require(Descriptor(owning: open("/proc/self/stat", O_RDONLY)))
    #expect(ProcessHandle(file).processID == nil)
  }
}

struct BootTimeTests {
  @Test func returnsALowerBound() {
    #expect(!BootTime.now.bootID.isEmpty && BootTime.now.minimumSeconds(since: .now) < 60)
    let earlier = BootTime(bootID: "a", seconds: 1000)
    #expect(BootTime(bootID: "a", seconds: 1600).minimumSeconds(since: earlier) == 600)
    #expect(BootTime(bootID: "a", seconds: 10).minimumSeconds(since: earlier) == 0)
    // After a reboot only the time since boot is certain.
    #expect(BootTime(bootID: "b", seconds: 10).minimumSeconds(since: earlier) == 10)
    #expect(BootTime(bootID: "b", seconds: 5000).minimumSeconds(since: earlier) == 5000)
    // Unknown boot IDs may belong to different boots.
    #expect(BootTime(bootID: "", seconds: 10).minimumSeconds(since: BootTime(bootID: "", seconds: 1)) == 10)
  }
}

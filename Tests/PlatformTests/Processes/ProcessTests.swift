// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Platform

struct ProcDirectoryTests {
  private static func handle(_ processID: pid_t) throws -> ProcessHandle {
    try #require(ProcessHandle(processID))
  }

  private static func spawn(_ program: String) throws -> pid_t {
    var processID: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawn(&processID, program, nil, nil, &arguments, nil) == 0)
    return processID
  }

  @Test func readsThisProcess() throws {
    let files = try ProcDirectory(getpid(), Self.handle(getpid()))
    #expect(files.isRunning)
    #expect(try files.userNamespace() == ProcDirectory.own().userNamespace())
    #expect(try files.root().identity() == ProcDirectory.own().root().identity())
    let name = String(decoding: try files.content(of: "comm"), as: UTF8.self)
    #expect(!name.isEmpty)
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

  @Test func throwsMissingForAnEndedProcess() throws {
    let processID = try Self.spawn("/bin/true")
    let handle = try Self.handle(processID)
    var status: Int32 = 0
    #expect(waitpid(processID, &status, 0) == processID)
    #expect(!handle.isRunning)
    #expect(throws: FileError.missing) { try ProcDirectory(processID, handle) }
  }

  /// The open directory stays bound to its process, so files of a process that reuses the ID are never read.
  @Test func readsNothingAfterTheProcessHasEnded() throws {
    let processID = try Self.spawn("/bin/cat")
    let files = try ProcDirectory(processID, Self.handle(processID))
    kill(processID, SIGKILL)
    var status: Int32 = 0
    #expect(waitpid(processID, &status, 0) == processID)
    #expect(!files.isRunning)
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
  @Test func advances() {
    let first = BootTime.now
    let second = BootTime.now
    #expect(!first.bootID.isEmpty)
    #expect(first.bootID == second.bootID)
    #expect(first.seconds > 0)
    #expect(second.minimumSeconds(since: first) < 60)
  }

  @Test func returnsALowerBound() {
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

// SPDX-License-Identifier: Apache-2.0
import Glibc
import TestSupport
import Testing

@testable import Platform

struct FileLockTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var path: String { directory.path + "/test.lock" }

  @Test func hasOneHolderAtATime() throws {
    let first = try FileLock(path)
    #expect(first.tryTake())
    #expect(try !FileLock(path).tryTake())
    #expect(try FileLock(path + "2").tryTake())
    withExtendedLifetime(first) {}
    // A lock can be taken again after its release.
    for _ in 0..<3 { #expect(try FileLock(path + "2").tryTake()) }
    #expect(throws: FileError.missing) { try FileLock(directory.path + "/missing/test.lock") }
  }

  /// A link must not cause a file elsewhere to be created, opened or written.
  @Test func rejectsLinksAndOtherKindsOfFile() throws {
    let target = directory.path + "/target"
    #expect(symlink(target, path) == 0)
    #expect(throws: FileError.symbolicLink) { try FileLock(path) }
    #expect(!Files.exists(target))
    let document = try directory.file("document", Array("precious".utf8))
    #expect(link(document, path + "2") == 0)
    #expect(throws: FileError.hardLink) { try FileLock(path + "2") }
    #expect(try Files.read(document, limit: 100) == Array("precious".utf8))
    #expect(mkfifo(path + "3", 0o600) == 0)
    for other in [path + "3", directory.path, "/dev/null"] {
      #expect(throws: FileError.notRegular) { try FileLock(other) }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give a file away."))
  func rejectsAFileOfAnotherUser() throws {
    _ = try directory.file("test.lock", [])
    #expect(chown(path, 65534, 65534) == 0)
    #expect(throws: FileError.foreign) { try FileLock(path) }
  }

  /// The content of the file is irrelevant for the lock.
  @Test func neverWritesToTheFile() throws {
    _ = try directory.file("test.lock", [1, 2, 3])
    #expect(try FileLock(path).tryTake())
    #expect(try Files.read(path, limit: 100) == [1, 2, 3])
  }
}

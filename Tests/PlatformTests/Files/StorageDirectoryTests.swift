// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Platform
import TestSupport
import Testing

struct StorageDirectoryTests {
  private let directory: TemporaryDirectory
  private let storage: StorageDirectory

  init() throws {
    directory = try TemporaryDirectory()
    storage = StorageDirectory(directory.path)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: storage.path) }
  }

  @Test func createsAnEmptyPrivateFile() throws {
    try storage.makeFile("a")
    #expect(try storage.ownFile("a")?.size == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: storage.path(of: "a"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try names == ["a"])
  }

  @Test func leavesAnExistingFileUnchanged() throws {
    _ = try directory.file("a", Array("precious".utf8))
    let before = try storage.ownFile("a")
    try storage.makeFile("a")
    #expect(try storage.ownFile("a") == before)
    #expect(before?.size == 8)
    #expect(symlink("nowhere", storage.path(of: "b")) == 0)
    try storage.makeFile("b")
    #expect(try names.sorted() == ["a", "b"])
  }

  @Test func rejectsAnythingButTheUsersOwnFile() throws {
    #expect(try storage.ownFile("none") == nil)
    _ = try directory.file("a", [1])
    #expect(symlink("a", storage.path(of: "link")) == 0)
    #expect(mkfifo(storage.path(of: "pipe"), 0o600) == 0)
    #expect(throws: FileError.symbolicLink) { try storage.ownFile("link") }
    #expect(throws: FileError.notRegular) { try storage.ownFile("pipe") }
    #expect(link(storage.path(of: "a"), storage.path(of: "b")) == 0)
    #expect(throws: FileError.hardLink) { try storage.ownFile("a") }
  }

  @Test func throwsWhenAnEntryCannotBeInspected() throws {
    _ = try directory.file("a", [1])
    #expect(symlink("nowhere", storage.path(of: "link")) == 0)
    #expect(try storage.contains("a"))
    #expect(try storage.contains("link"))
    #expect(try !storage.contains("none"))
    #expect(try !StorageDirectory(storage.path(of: "none")).contains("a"))
    #expect(throws: FileError.self) { try storage.contains(String(repeating: "n", count: 300)) }
  }

  @Test func resolvesSymbolicLinks() throws {
    let link = try TemporaryDirectory()
    #expect(symlink(storage.path, link.path + "/link") == 0)
    #expect(StorageDirectory(link.path + "/link").resolved == storage.resolved)
    #expect(StorageDirectory("/none/at/all").resolved.path == "/none/at/all")
  }
}

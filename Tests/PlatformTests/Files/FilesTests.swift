// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Platform

struct FilesTests {
  private let directory: TemporaryDirectory
  private let storage: StorageDirectory

  init() throws {
    directory = try TemporaryDirectory()
    storage = StorageDirectory(directory.path)
  }

  private func content(_ name: String) throws -> String {
    String(decoding: try Files.read(directory.path + "/" + name, limit: 100), as: UTF8.self)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  // MARK: Reading

  @Test func readsUpToTheLimit() throws {
    let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
    let path = try directory.file("bytes", bytes)
    #expect(try Files.read(path, limit: 70_000) == bytes)
    #expect(throws: FileError.tooLarge(limit: 69_999)) { try Files.read(path, limit: 69_999) }
    #expect(try Files.read(directory.file("empty", []), limit: 0) == [])
    // A file without a size, and one behind a link.
    #expect(String(decoding: try Files.read("/proc/self/status", limit: 1 << 16), as: UTF8.self).hasPrefix("Name:"))
    #expect(throws: FileError.tooLarge(limit: 4)) { try Files.read("/proc/self/status", limit: 4) }
    #expect(symlink(path, directory.path + "/link") == 0)
    #expect(try Files.read(directory.path + "/link", limit: 70_000) == bytes)
    #expect(Files.exists(path) && Files.exists(directory.path) && !Files.exists(directory.path + "/missing"))
  }

  @Test func readsAFileOfTheUserAlone() throws {
    let path = try directory.file("own", [1])
    chmod(path, 0o644)
    #expect(try Files.readOwn(path, limit: 1) == [1])
    #expect(throws: FileError.tooLarge(limit: 0)) { try Files.readOwn(path, limit: 0) }
    chmod(path, 0o620)
    #expect(throws: FileError.shared) { try Files.readOwn(path, limit: 1) }
    chmod(path, 0o600)
    symlink(path, path + "-link")
    #expect(throws: FileError.symbolicLink) { try Files.readOwn(path + "-link", limit: 1) }
    link(path, path + "-name")
    #expect(throws: FileError.hardLink) { try Files.readOwn(path, limit: 1) }
    mkfifo(path + "-pipe", 0o600)
    #expect(throws: FileError.notRegular) { try Files.readOwn(path + "-pipe", limit: 1) }
    #expect(throws: FileError.missing) { try Files.readOwn(path + "-missing", limit: 1) }
  }

  @Test func throwsForOtherKindsOfFile() throws {
    #expect(throws: FileError.missing) { try Files.read(directory.path + "/missing", limit: 100) }
    #expect(throws: FileError.notRegular) { try Files.read(directory.path, limit: 100) }
    #expect(throws: FileError.notRegular) { try Files.read("/dev/null", limit: 100) }
    #expect(mkfifo(directory.path + "/pipe", 0o600) == 0)
    #expect(throws: FileError.notRegular) { try Files.read(directory.path + "/pipe", limit: 100) }
  }

  // MARK: Writing

  @Test func writesAPrivateFileAndReplacesTheOldOne() throws {
    let path = directory.path + "/note"
    for text in ["first", "second"] {
      try Files.write(Array(text.utf8), to: path)
      #expect(try content("note") == text)
    }
    #expect(try mode(path) == 0o600)
    #expect(try Files.names(in: directory.path) == ["note"])
  }

  @Test func writeReplacesALinkAndNotItsTarget() throws {
    let document = try directory.file("document", Array("precious".utf8))
    #expect(symlink(document, directory.path + "/note") == 0)
    try Files.write(Array("text".utf8), to: directory.path + "/note")
    #expect(try content("document") == "precious")
    #expect(try content("note") == "text")
  }

  @Test func createReplacesTheTargetOfALink() throws {
    let document = try directory.file("document", Array("old".utf8))
    let link = directory.path + "/link"
    #expect(symlink(document, link) == 0)
    #expect(throws: FileError.exists) { try Files.create(Array("new".utf8), at: document) }
    #expect(throws: FileError.exists) { try Files.create(Array("new".utf8), at: link) }
    #expect(try content("document") == "old")
    try Files.create(Array("new".utf8), at: link, replaces: true)
    #expect(try content("document") == "new")
    #expect(FileKind(link) == .regular)
  }

  @Test func throwsWhenTheDirectoryIsNotWritable() {
    #expect(throws: FileError.missing) { try Files.write([1], to: directory.path + "/missing/file") }
    #expect(throws: FileError.full) { try Files.write([1], into: "/dev/full") }
  }

  // MARK: Directories

  @Test func createsADirectoryWithItsParents() throws {
    let path = directory.path + "/a/b/c"
    for _ in 0..<2 { try Files.makeDirectory(path) }
    #expect(try mode(path) == 0o700)
    try Files.makeDirectory(directory.path + "/d/")
    #expect(FileKind(directory.path + "/d") == .directory)
    _ = try directory.file("file", [])
    #expect(throws: FileError.exists) { try Files.makeDirectory(directory.path + "/file") }
    #expect(throws: FileError.self) { try Files.makeDirectory(directory.path + "/file/a") }
    #expect(throws: FileError.self) { try Files.makeDirectory("") }
  }

  @Test func listsNamesSorted() throws {
    for name in ["b", "ä", "a", ".hidden", "B"] { _ = try directory.file(name, []) }
    #expect(try Files.names(in: directory.path) == [".hidden", "B", "a", "b", "ä"])
    #expect(try Files.names(in: directory.path + "/missing").isEmpty)
    #expect(throws: FileError.failed("it is not a directory")) { try Files.names(in: directory.path + "/a") }
  }

  /// A name on a disk is bytes, and need not be UTF-8.
  @Test func removesATreeWithNamesThatAreNotUTF8() throws {
    let tree = directory.path + "/tree"
    #expect(mkdir(tree, 0o700) == 0)
    let name = (tree + "/a").utf8.map(CChar.init(bitPattern:)) + [-1, 0]
    #expect(mkdir(name, 0o700) == 0)
    #expect(try Files.removeTree(tree))
    #expect(access(tree, F_OK) != 0)
    #expect(try !Files.removeTree(tree))
  }

  // MARK: The service's own files

  @Test func createsAnEmptyPrivateFileAndLeavesAnExistingOne() throws {
    try storage.makeFile("new")
    #expect(try storage.ownFile("new")?.size == 0)
    #expect(try mode(storage.path(of: "new")) == 0o600)
    _ = try directory.file("a", Array("precious".utf8))
    let before = try storage.ownFile("a")
    try storage.makeFile("a")
    #expect(try storage.ownFile("a") == before)
    #expect(before?.size == 8)
    #expect(symlink("nowhere", storage.path(of: "b")) == 0)
    try storage.makeFile("b")
    #expect(try Files.names(in: storage.path) == ["a", "b", "new"])
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

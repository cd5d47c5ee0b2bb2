import FoundationEssentials
import GLibBridge
import Glibc
import Testing

struct LimitedReadTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func readsUpToTheLimit() throws {
    let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
    let path = try directory.file("bytes", bytes)
    #expect(try Files.read(path, limit: 70_000) == bytes)
    #expect(throws: FileError.tooLarge(limit: 69_999)) { try Files.read(path, limit: 69_999) }
    #expect(try Files.read(directory.file("empty", []), limit: 0) == [])
  }

  @Test func readsAFileWithoutASize() throws {
    #expect(String(decoding: try Files.read("/proc/self/status", limit: 1 << 16), as: UTF8.self).hasPrefix("Name:"))
    #expect(throws: FileError.tooLarge(limit: 4)) { try Files.read("/proc/self/status", limit: 4) }
  }

  @Test func followsLinks() throws {
    let path = try directory.file("file", Array("text".utf8))
    try FileManager.default.createSymbolicLink(atPath: directory.path + "/link", withDestinationPath: path)
    #expect(try Files.read(directory.path + "/link", limit: 100) == Array("text".utf8))
  }

  @Test func refusesWhatIsNoFile() throws {
    #expect(throws: FileError.missing) { try Files.read(directory.path + "/missing", limit: 100) }
    #expect(throws: FileError.notRegular) { try Files.read(directory.path, limit: 100) }
    #expect(throws: FileError.notRegular) { try Files.read("/dev/null", limit: 100) }
    #expect(mkfifo(directory.path + "/pipe", 0o600) == 0)
    #expect(throws: FileError.notRegular) { try Files.read(directory.path + "/pipe", limit: 100) }
  }

  @Test func listsNamesInOrder() throws {
    for name in ["b", "ä", "a", ".hidden", "B"] { _ = try directory.file(name, []) }
    #expect(try Files.names(in: directory.path) == [".hidden", "B", "a", "b", "ä"])
    #expect(try Files.names(in: directory.path + "/missing").isEmpty)
    #expect(throws: GLibError.self) { try Files.names(in: directory.path + "/a") }
  }

  @Test func keyFilesAreReadFromBytes() throws {
    let file = try KeyFile(Array("[Group]\nKey=value\n".utf8))
    #expect(file.string("Group", "Key") == "value")
    #expect(try KeyFile([]).groupNames.isEmpty)
    #expect(throws: GLibError.self) { try KeyFile(Array("nonsense".utf8)) }
  }
}

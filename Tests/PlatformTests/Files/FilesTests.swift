import GLibBridge
import Testing

struct FilesTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func readsAllBytes() throws {
    let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
    #expect(try Files.read(directory.file("bytes", bytes)) == bytes)
    #expect(try Files.read(directory.file("empty", [])) == [])
  }

  @Test func readsAFileWithoutASize() throws {
    let text = String(decoding: try Files.read("/proc/self/status"), as: UTF8.self)
    #expect(text.hasPrefix("Name:"))
  }

  @Test func knowsWhatExists() throws {
    #expect(Files.exists(try directory.file("here", [])))
    #expect(Files.exists(directory.path))
    #expect(!Files.exists(directory.path + "/missing"))
  }

  @Test func refusesWhatIsNoFile() {
    #expect(throws: GLibError.self) { try Files.read(directory.path + "/missing") }
    #expect(throws: GLibError.self) { try Files.read(directory.path) }
  }
}

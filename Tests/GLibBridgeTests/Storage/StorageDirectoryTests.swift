import FoundationEssentials
import GLibBridge
import Testing

struct StorageDirectoryTests {
  private let directory: TemporaryDirectory
  private let storage: StorageDirectory

  init() throws {
    directory = try TemporaryDirectory()
    storage = StorageDirectory(directory.path)
  }

  @Test func eachFileIsListedOnceWithItsSize() throws {
    for number in 0..<300 { _ = try directory.file("n\(number).thread", Array(repeating: 0, count: number)) }
    let listed = try storage.files(suffix: ".thread")
    #expect(listed.count == 300)
    for (name, size) in listed { #expect(name == "n\(size)") }
    #expect(Set(listed.map(\.name)).count == 300)
  }

  @Test func whatIsNoSuchFileIsNotListed() throws {
    for name in ["a.thread", "b.threads", "thread", ".thread", "c.thread.new"] { _ = try directory.file(name, [0]) }
    try FileManager.default.createDirectory(atPath: storage.path(of: "d.thread"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: storage.path(of: "e.thread"), withDestinationPath: storage.path(of: "a.thread"))
    #expect(try storage.files(suffix: ".thread").map(\.name) == ["a"])
  }

  @Test func aDirectoryThatIsNotThereHasNoFiles() throws {
    #expect(try StorageDirectory(storage.path(of: "none")).files(suffix: ".thread").isEmpty)
  }

  @Test func oneThatCannotBeReadIsAFailure() throws {
    #expect(throws: StorageError.self) {
      try StorageDirectory(storage.path(of: String(repeating: "n", count: 300))).files(suffix: ".thread")
    }
  }
}

import Glibc
import Testing

@testable import ChappieSDKRuntime

/// A store writes to no file that has a name elsewhere, whatever somebody has put in the place of its own.
struct LinkedFileTests {
  private let world = FileStoreWorld()
  private let precious = Array("A letter that took a year to write.".utf8)

  /// What the store would write to: its lock, what it makes new, and what it adds to.
  static let names = ["lock", "changing", "thread.new", "index.new", "index", "a.thread", "CACHEDIR.TAG", ".nobackup"]

  /// Does all that a store does, of which some may fail.
  private func use(_ store: ChappieFileThreadStore) async -> [ChappieThreadStoreError] {
    var errors: [ChappieThreadStoreError] = []
    for deed in [
      { try await store.create(.sample("b")) }, { try await store.append(.sample("t"), to: "a") },
      { try await store.change("a", .rename("New")) }, { try await store.change("a", .archive) },
      { _ = try await store.threads(ChappieThreadQuery(.all)) }, { _ = try await store.thread("a") },
      { try await store.delete("a") }, { try await store.deleteAll() },
    ] as [@Sendable () async throws -> Void] {
      do {
        try await deed()
      } catch let error as ChappieThreadStoreError {
        errors.append(error)
      } catch {
        Issue.record("\(error)")
      }
    }
    return errors
  }

  private func prepare(_ name: String) async throws -> ChappieFileThreadStore {
    let store = world.store(patience: .milliseconds(50))
    try await store.create(.sample("a"))
    try await store.append(.sample("first"), to: "a")
    try world.write(precious, "letter")
    unlink(world.path(name))
    return store
  }

  @Test(arguments: names) func aHardLinkLeavesItsOtherNameAlone(_ name: String) async throws {
    let store = try await prepare(name)
    #expect(link(world.path("letter"), world.path(name)) == 0)
    for store in [store, world.store(patience: .milliseconds(50))] {
      _ = await use(store)
      #expect(try world.bytes("letter") == precious)
    }
  }

  @Test(arguments: names) func aSymbolicLinkLeavesWhatItLeadsToAlone(_ name: String) async throws {
    let store = try await prepare(name)
    #expect(symlink(world.path("letter"), world.path(name)) == 0)
    _ = await use(store)
    #expect(try world.bytes("letter") == precious)
  }

  /// A named pipe has no reader: who opened it to write would wait for ever.
  @Test(.timeLimit(.minutes(1)), arguments: names) func aNamedPipeKeepsNobodyWaiting(_ name: String) async throws {
    let store = try await prepare(name)
    #expect(mkfifo(world.path(name), 0o600) == 0)
    _ = await use(store)
  }

  @Test func aLockThatIsAHardLinkIsAnErrorThatSaysSo() async throws {
    let store = try await prepare("lock")
    #expect(link(world.path("letter"), world.path("lock")) == 0)
    let error = await #expect(throws: ChappieThreadStoreError.self) { try await store.append(.sample("t"), to: "a") }
    guard case .unavailable(let text) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains("hard link"))
    // Once it is gone, all is as before.
    unlink(world.path("lock"))
    try await store.append(.sample("t"), to: "a")
    #expect(try await world.store().thread("a").turns.map(\.id) == ["first", "t"])
  }

  /// A thread that was linked, as some backup programs do, can be read, and is not written to.
  @Test func aThreadWithAnotherNameIsReadAndNotWritten() async throws {
    let store = try await prepare("none")
    #expect(link(world.path("a.thread"), world.path("copy")) == 0)
    let before = try world.bytes("copy")
    #expect(try await store.thread("a").turns.count == 1)
    let error = await #expect(throws: ChappieThreadStoreError.self) { try await store.append(.sample("t"), to: "a") }
    #expect(error?.description.contains("hard link") == true)
    #expect(try world.bytes("copy") == before)
  }

  /// What is made new takes the place of what is there, which is not an obstacle.
  @Test(arguments: ["thread.new", "index.new", "changing"]) func whatIsInTheWayIsNoObstacle(_ name: String) async throws
  {
    let store = try await prepare(name)
    #expect(link(world.path("letter"), world.path(name)) == 0)
    try await store.create(.sample("b"))
    #expect(try await world.store().threads(ChappieThreadQuery()).map(\.id) == ["b", "a"])
  }
}

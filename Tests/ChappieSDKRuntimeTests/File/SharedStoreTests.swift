import GLibBridge
import Testing

@testable import ChappieSDKRuntime

/// Several stores on one directory, as in several processes.
struct SharedStoreTests {
  private let world = FileStoreWorld()

  @Test func eachSeesWhatTheOtherWrote() async throws {
    let left = world.store()
    let right = world.store()
    try await left.create(.sample("a"))
    #expect(try await right.threads(ChappieThreadQuery()).map(\.id) == ["a"])
    try await right.append(.sample("t1"), to: "a")
    try await left.append(.sample("t2"), to: "a")
    try await right.change("a", .rename("Two"))
    #expect(try await left.threads(ChappieThreadQuery()) == right.threads(ChappieThreadQuery()))
    #expect(try await left.thread("a").turns.map(\.id) == ["t1", "t2"])
    #expect(try await left.thread("a").summary == right.threads(ChappieThreadQuery())[0])
    try await left.delete("a")
    #expect(try await right.threads(ChappieThreadQuery()).isEmpty)
  }

  @Test func oneSeesThatTheOtherWroteTheIndexAnew() async throws {
    let left = world.store()
    let right = world.store()
    try await left.create(.sample("a"))
    _ = try await right.threads(ChappieThreadQuery())
    for number in 1...600 { try await left.change("a", .rename("Title \(number)")) }
    #expect(try await right.threads(ChappieThreadQuery()).map(\.title) == ["Title 600"])
    try await right.append(.sample("t"), to: "a")
    #expect(try await left.threads(ChappieThreadQuery()).map(\.turnCount) == [1])
  }

  /// The index is as it was, and those who have it in memory see that somebody has died.
  @Test func oneSeesWhatTheOtherWroteBeforeItWasKilled() async throws {
    let left = world.store()
    for id in ["a", "b"] { try await left.create(.sample(id)) }
    let index = try world.bytes("index")
    let right = world.store()
    try await right.append(.sample("t"), to: "a")
    try await right.create(.sample("c"))
    try await right.delete("b")
    #expect(try !world.names.contains("changing"))
    try world.write(index, "index")
    try world.write([], "changing")
    #expect(try await left.threads(ChappieThreadQuery()).map(\.id) == ["c", "a"])
    #expect(try await left.summary(of: "a")?.turnCount == 1)
    #expect(try !world.names.contains("changing"))
    #expect(try await right.threads(ChappieThreadQuery()) == left.threads(ChappieThreadQuery()))
  }

  /// Nothing waits for who changes something, and has the lock.
  @Test func whoReadsWhileAnotherOneWritesReadsWhatWasThere() async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    let lock = try #require(try FileLock.attempt(world.path("lock")))
    try world.write([], "changing")
    #expect(try await store.threads(ChappieThreadQuery()).count == 1)
    #expect(try world.names.contains("changing"))
    withExtendedLifetime(lock) {}
  }

  @Test func nothingIsLostWhenManyWriteAtOnce() async throws {
    try await world.store().create(.sample("a"))
    try await world.store().create(.sample("b"))
    try await withThrowingTaskGroup { group in
      for writer in 0..<4 {
        group.addTask {
          let store = world.store()
          for number in 0..<10 {
            try await store.append(.sample("w\(writer)-\(number)"), to: number % 2 == 0 ? "a" : "b")
          }
        }
      }
      try await group.waitForAll()
    }
    let reader = world.store()
    var ids: Set<String> = []
    for id in ["a", "b"] {
      let thread = try await reader.thread(id)
      #expect(thread.damage.isEmpty)
      #expect(thread.turns.count == 20)
      ids.formUnion(thread.turns.map(\.id))
    }
    #expect(ids.count == 40)
    #expect(try await reader.threads(ChappieThreadQuery()).map(\.turnCount) == [20, 20])
  }

  @Test func aWriteWaitsForTheLockAndReadingDoesNot() async throws {
    let store = world.store(patience: .milliseconds(50))
    try await store.create(.sample("a"))
    let lock = try #require(try FileLock.attempt(world.path("lock")))
    #expect(try await store.thread("a").id == "a")
    #expect(try await world.store().threads(ChappieThreadQuery()).count == 1)
    let size = try world.bytes("a.thread").count
    let error = await #expect(throws: ChappieThreadStoreError.self) { try await store.append(.sample("t"), to: "a") }
    guard case .busy = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try world.bytes("a.thread").count == size)
    withExtendedLifetime(lock) {}
  }
}

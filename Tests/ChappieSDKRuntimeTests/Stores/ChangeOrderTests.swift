// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDKRuntime

/// The thread that changed last is listed first, independently of the clock.
struct ChangeOrderTests {
  private let world = FileStoreWorld()

  private func ids(_ store: any ChappieThreadStore) async throws -> [String] {
    try await store.threads(ChappieThreadQuery()).map(\.id)
  }

  /// Checks both orders of the ids, because sorting by id would be right for one of them.
  @Test func changesWithinOneSecondHaveAnOrder() async throws {
    for store in [world.store(), world.memoryStore(retention: .unlimited)] as [any ChappieThreadStore] {
      for id in ["b", "a", "c"] { try await store.create(.sample(id)) }
      #expect(try await ids(store) == ["c", "a", "b"])
      for id in ["a", "b", "c", "b", "a"] {
        try await store.append(.sample("t"), to: id)
        #expect(try await ids(store).first == id)
      }
      try await store.change("c", .rename("New"))
      #expect(try await ids(store) == ["c", "a", "b"])
      try await store.change("b", .archive)
      try await store.change("b", .unarchive)
      #expect(try await ids(store) == ["b", "c", "a"])
    }
    #expect(try await ids(world.store()) == ["b", "c", "a"])
  }

  /// Two store objects stand for two processes, each with its own index in memory.
  @Test func eachProcessSeesTheChangesOfTheOther() async throws {
    let (left, right) = (world.store(), world.store())
    for id in ["b", "a"] { try await left.create(.sample(id)) }
    for (store, id) in [(left, "b"), (right, "a"), (left, "b"), (right, "b"), (left, "a")] {
      try await store.append(.sample("t"), to: id)
      #expect(try await ids(left).first == id)
      #expect(try await ids(right).first == id)
      #expect(try await ids(world.store()).first == id)
    }
    #expect(try await left.thread("b").turns.count == 3)
    try await right.change("a", .rename("Two"))
    #expect(try await left.thread("a").summary == right.threads(ChappieThreadQuery())[0])
    // The number of a deleted thread is not given again.
    try await left.delete("a")
    try await left.create(.sample("c"))
    try await right.append(.sample("t"), to: "b")
    #expect(try await ids(left) == ["b", "c"])
  }

  @Test func aClockSetBackDoesNotChangeTheOrder() async throws {
    let store = world.store()
    for id in ["b", "a"] { try await store.create(.sample(id)) }
    try await store.append(.sample("t", at: world.clock.now + 3600), to: "b")
    try await store.append(.sample("t", at: world.clock.now), to: "a")
    #expect(try await ids(store) == ["a", "b"])
    world.clock.advance(seconds: -7200)
    try await store.change("b", .rename("New"))
    #expect(try await ids(store) == ["b", "a"])
    // The times do not change until the clock is right again.
    #expect(try await store.summary(of: "b")?.updatedAtSeconds == 1_800_003_600)
    world.clock.advance(seconds: 20_000)
    try await store.change("b", .rename("Newer"))
    #expect(try await store.summary(of: "b")?.updatedAtSeconds == world.clock.now)
  }

  /// Stores of apps need not set a change number.
  @Test func threadsWithoutANumberAreOrderedByTime() {
    var numbered = ChappieThreadSummary.sample("b")
    numbered.changeNumber = 1
    let old = [
      ChappieThreadSummary.sample("x", at: 1_800_000_005), .sample("z", at: 1_800_000_007), .sample("y", at: 7),
    ]
    #expect(ChappieThreadQuery().page(of: old + [numbered]).map(\.id) == ["b", "z", "x", "y"])
    let threads = [("b", 3), ("a", 1), ("c", 2)].map { id, time in
      ChappieThreadSummary(id: id, createdAtSeconds: 100, updatedAtSeconds: 100, updatedAtMicroseconds: Int32(time))
    }
    #expect(ChappieThreadQuery().page(of: threads).map(\.id) == ["b", "c", "a"])
  }
}

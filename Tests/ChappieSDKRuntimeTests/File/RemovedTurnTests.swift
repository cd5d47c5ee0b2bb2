// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDKRuntime

/// A turn that was removed stays removed, also against a program that writes to the database.
struct RemovedTurnTests {
  private let world = FileStoreWorld()

  private func begin(_ turns: String...) async throws -> ChappieFileThreadStore {
    let store = world.store()
    try await store.create(.sample("a", title: "A walk"))
    for turn in turns { try await store.append(.sample(turn), to: "a") }
    return store
  }

  private func expect(_ turns: [String], in store: ChappieFileThreadStore) async throws {
    for store in [store, world.store()] {
      let thread = try await store.thread("a")
      #expect(thread.turns.map(\.id) == turns)
      #expect(thread.damage.isEmpty)
      #expect(thread.summary.turnCount == turns.count)
    }
  }

  @Test func theNextTurnHasAPlaceOfItsOwn() async throws {
    let store = try await begin("t1", "t2", "t3")
    for number in 1...3 {
      try await store.undoTurn(of: "a", asking: nil)
      try await expect(["t1", "t2"], in: store)
      try await store.append(.sample("again \(number)"), to: "a")
      try await expect(["t1", "t2", "again \(number)"], in: store)
    }
    let database = try world.database()
    #expect(try database.number("SELECT max(sequence) FROM turns") == 9)
    // One mark stands for all turns that were removed between two others.
    #expect(try database.number("SELECT count(*) FROM turns") == 4)
    for _ in 1...3 { try await store.undoTurn(of: "a", asking: nil) }
    try await expect([], in: store)
    #expect(try database.number("SELECT count(*) FROM turns") == 1)
    // The size of a row, and of the thread with its title, that counts for the limit.
    let bytes = try database.number("SELECT sum(length(content) + 128) + 128 + length('A walk') FROM turns")
    #expect(try await Int(store.usage().usedBytes) == bytes?.value)
    await #expect(throws: ChappieClientError.noTurn) { try await store.undoTurn(of: "a", asking: nil) }
  }

  /// The key is the user's alone, but an old row is encrypted with it too.
  @Test func aRowThatIsPutBackCountsForNothing() async throws {
    let store = try await begin("t1", "t2")
    let database = try world.database()
    try database.run("CREATE TABLE kept AS SELECT * FROM turns")
    try await store.undoTurn(of: "a", asking: nil)
    try await store.append(.sample("t4"), to: "a")
    try database.run("INSERT INTO kept SELECT * FROM turns WHERE sequence = 3")
    try database.run("INSERT INTO turns SELECT * FROM kept WHERE sequence = 2")
    try await expect(["t1", "t4"], in: store)
    // Where it takes the place of another row, that one is missing.
    try database.run("DELETE FROM turns WHERE sequence = 4")
    try database.run("UPDATE turns SET sequence = 4 WHERE sequence = 2")
    #expect(try await store.thread("a").turns.map(\.id) == ["t1"])
    #expect(try await store.thread("a").damage.map(\.offset) == [4])
    try database.run("DELETE FROM turns WHERE sequence = 4")
    try database.run("UPDATE threads SET turn_count = 1")
    // An old mark and its turns count for nothing either, once a later mark stands for them.
    try await store.append(.sample("t4"), to: "a")
    try await store.undoTurn(of: "a", asking: nil)
    try database.run("INSERT INTO turns SELECT * FROM kept WHERE sequence > 1")
    try await store.append(.sample("t6"), to: "a")
    try await expect(["t1", "t6"], in: store)
  }

  @Test func aMissingMarkIsDamageAndAMarkIsNoTurn() async throws {
    let store = try await begin("t1", "t2")
    try await store.undoTurn(of: "a", asking: nil)
    // Damaged figures of a thread count turns, and no marks.
    try world.database().run("UPDATE threads SET turn_count = -1")
    #expect(try await store.thread("a").summary.turnCount == 1)
    #expect(try await store.thread("a").damage.map(\.offset) == [0])
    try world.database().run("UPDATE threads SET turn_count = 1")
    try await store.append(.sample("t4"), to: "a")
    try world.database().run("DELETE FROM turns WHERE sequence = 3")
    #expect(try await store.thread("a").turns.map(\.id) == ["t1", "t4"])
    #expect(try await store.thread("a").damage.map(\.offset) == [2])
  }

  @Test func theFilesForgetTheTurn() async throws {
    let store = try await begin("t1", "t2")
    var content: [UInt8] = []
    try world.database().forEach("SELECT content FROM turns WHERE sequence = 2") { content = $0.bytes(0) }
    try await store.undoTurn(of: "a", asking: nil)
    for name in try world.names {
      #expect(try world.bytes(name).firstRange(of: content.suffix(64)) == nil, "\(name)")
    }
  }

  @Test func aDamagedLastTurnIsNotRemoved() async throws {
    let store = try await begin("t1", "t2")
    try world.database().run("UPDATE turns SET id = 'other' WHERE sequence = 2")
    let error = await #expect(throws: ChappieThreadStoreError.self) { try await store.undoTurn(of: "a", asking: nil) }
    #expect(error?.kind == "unreadable")
    #expect(try await store.thread("a").turns.map(\.id) == ["t1"])
    #expect(try await store.thread("a").damage.map(\.offset) == [2])
  }
}

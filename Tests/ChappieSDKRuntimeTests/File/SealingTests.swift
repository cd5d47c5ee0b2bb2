// SPDX-License-Identifier: Apache-2.0
import Synchronization

@testable import ChappieSDKRuntime

struct SealingTests {
  private let world = FileStoreWorld()

  @Test func noFileHoldsPlainText() async throws {
    let secret = "XYZZY-plugh-31337"
    let store = world.store()
    try await store.create(.sample("a", title: "title \(secret)"))
    try await store.change("a", .rename("renamed \(secret)"))
    try await store.append(
      ChappieTurn(
        id: "t", recordedAtSeconds: 1,
        events: [
          .input(.user("question \(secret)")),
          .toolCall(callID: "c", name: "tool-\(secret)", arguments: "{\"a\":\"\(secret)\"}"),
          .toolOutput(callID: "c", name: "tool", status: .failed, output: "output \(secret)"),
          .payload(["p": .string(secret)]), .error(name: "e", message: secret), .compaction(summary: secret),
          .output(text: "answer \(secret)", model: "m", responseID: "r"),
        ]), to: "a")
    _ = try await world.store().threads(ChappieThreadQuery())
    for name in try world.names {
      let bytes = try world.bytes(name)
      #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(name)")
      #expect(bytes.firstRange(of: Array("output".utf8)) == nil, "\(name)")
    }
  }

  @Test(arguments: [ChappieThreadStoreError.locked("It is locked."), .keyringUnavailable("It is away.")])
  func withoutTheKeyEveryOperationFails(_ failure: ChappieThreadStoreError) async throws {
    let store = world.store(retention: .default)
    try await store.create(.sample("a", title: "A walk"))
    _ = try await store.threads(ChappieThreadQuery())
    let before = try world.names.map { try world.bytes($0) }
    world.keys.fail(failure)
    world.clock.advance(days: 31)  // Now the thread is due.
    for access in store.reads + store.writes {
      await #expect(throws: failure) { try await access() }
    }
    #expect(try world.names.map { try world.bytes($0) } == before)
    world.keys.fail(nil)
    #expect(try await store.thread("a").summary.title == "A walk")
  }

  @Test func aLockedStoreForgetsItsTitlesAndDeletesNothing() async throws {
    let store = world.store()
    try await store.create(.sample("a", title: "A walk"))
    #expect(store.hasThreadsInMemory)
    world.keys.fail(.locked("It is locked."))
    _ = try? await store.threads(ChappieThreadQuery())
    #expect(!store.hasThreadsInMemory)
    await #expect(throws: ChappieThreadStoreError.locked("It is locked.")) { try await store.deleteAll() }
    world.keys.fail(nil)
    #expect(try await store.threads(ChappieThreadQuery()).map(\.title) == ["A walk"])
    #expect(try await world.store().threads(ChappieThreadQuery()).map(\.id) == ["a"])
  }

  /// An access may have read its key before the lock.
  @Test func anAccessThatEndsAfterALockKeepsNothingInMemory() async throws {
    let isLocked = Mutex(false)
    let store = world.store(isLocked: { isLocked.withLock { $0 } })
    try await store.create(.sample("a", title: "A walk"))
    #expect(store.hasThreadsInMemory)
    isLocked.withLock { $0 = true }
    for access in store.reads + store.writes {
      try await access()
      #expect(!store.hasThreadsInMemory)
    }
  }

  /// The key that a turn leased before the lock serves its own thread alone.
  @Test func aLeasedKeyChangesNoOtherThread() async throws {
    let store = world.store(retention: .default)
    for id in ["a", "old"] { try await store.create(.sample(id, at: world.clock.now)) }
    world.clock.advance(days: 20)
    let lease = TurnLease()
    try await TurnLease.$current.withValue(lease) { _ = try await store.summary(of: "a") }
    world.clock.advance(days: 20)
    world.keys.fail(.locked("It is locked."))
    try await TurnLease.$current.withValue(lease) {
      try await store.append(.sample("t", at: world.clock.now), to: "a")
    }
    world.keys.fail(nil)
    #expect(try await world.store().thread("a").turns.map(\.id) == ["t"])
    #expect(try await !world.store().thread("old").summary.isArchived)
    // Without a lock, retention runs as usual.
    try await TurnLease.$current.withValue(lease) { try await store.change("a", .rename("A walk")) }
    #expect(try await world.store().thread("old").summary.isArchived)
  }

  @Test(arguments: [nil, ChappieThreadStoreError.unreadable("The key is of no use.")])
  func deleteAllDestroysTheKeyAndTheFiles(_ failure: ChappieThreadStoreError?) async throws {
    let store = world.store()
    let other = world.store()
    try await store.create(.sample("a", title: "A walk"))
    try await other.append(.sample("t"), to: "a")
    try world.backUp(to: "copy")
    world.keys.fail(failure)
    try await store.deleteAll()
    #expect(try world.names == [".nobackup", "CACHEDIR.TAG", "copy"])
    #expect(!store.hasThreadsInMemory)
    for store in [store, other, world.store()] {
      #expect(try await store.threads(ChappieThreadQuery(.all)).isEmpty)
      #expect(try await store.usage().usedBytes == 0)
    }
    // An earlier copy of the files cannot be decrypted.
    try world.write(world.bytes("copy"), "threads.db")
    await #expect(throws: ChappieThreadStoreError.self) { try await world.store().thread("a") }
    try await store.deleteAll()
    try await store.create(.sample("a"))
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["a"])
  }

  /// Encrypted content is bound to its table, its thread and its place.
  @Test func movedContentIsNotDecrypted() async throws {
    let store = world.store()
    for id in ["a", "b"] {
      try await store.create(.sample(id, title: "Title \(id)"))
      for number in 1...3 { try await store.append(.sample("\(id)\(number)"), to: id) }
    }
    try await store.change("a", .rename("New"))
    let database = try world.database()
    // Two swapped turns, a turn of another thread, and a turn with another id or time.
    try database.run("UPDATE turns SET sequence = 7 - sequence WHERE thread = 'a' AND sequence > 1")
    try database.run(
      "UPDATE turns SET sequence = CASE sequence WHEN 4 THEN 2 WHEN 5 THEN 3 ELSE 1 END WHERE thread = 'a'")
    #expect(try await store.thread("a").turns.map(\.id) == ["a1"])
    #expect(try await store.thread("a").damage.map(\.offset) == [2, 3])
    for change in [
      """
      UPDATE turns SET (id, recorded_at, content) =
        (SELECT id, recorded_at, content FROM turns WHERE thread = 'b' AND sequence = 1)
        WHERE thread = 'a' AND sequence = 1
      """,
      "UPDATE turns SET id = 'other' WHERE thread = 'b' AND sequence = 1",
      "UPDATE turns SET recorded_at = recorded_at + 1 WHERE thread = 'b' AND sequence = 2",
    ] as [StaticString] { try database.run(change) }
    #expect(try await store.thread("b").turns.map(\.id) == ["b3"])
    #expect(try await store.thread("b").damage.map(\.offset) == [1, 2])
    // The thread keeps only its title.
    #expect(try await store.thread("a").turns.isEmpty)
    #expect(try await store.thread("a").summary.title == "New")
    try database.run("UPDATE threads SET title = (SELECT title FROM threads WHERE id = 'b') WHERE id = 'a'")
    await #expect(throws: ChappieThreadStoreError.self) { try await store.thread("a") }
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["b"])
    #expect(try await store.usage().unreadableCount == 1)
  }
}

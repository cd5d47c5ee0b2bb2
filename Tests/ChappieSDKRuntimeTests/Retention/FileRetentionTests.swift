// SPDX-License-Identifier: Apache-2.0
import Synchronization

@testable import ChappieSDKRuntime

struct FileRetentionTests {
  private let world = FileStoreWorld()

  @Test func aThreadIsArchivedAndLaterDeletedAndObserversGetIt() async throws {
    let notifications = Mutex<[String]>([])
    let store = world.store(retention: .default)
    store.onChange { thread, change in if thread == "a" { notifications.withLock { $0.append("\(change)") } } }
    try await store.create(.sample("a", at: world.clock.now))
    try await store.create(.sample("b", at: world.clock.now))
    world.clock.advance(days: 29)
    try await store.append(.sample("t", at: world.clock.now), to: "b")
    #expect(try await store.threads(ChappieThreadQuery()).count == 2)
    #expect(notifications.withLock { $0 } == ["created"])
    world.clock.advance(days: 1)
    // A write of another thread enforces the policy, as reading does below.
    try await store.append(.sample("t2", at: world.clock.now), to: "b")
    #expect(try await world.store().thread("a").summary.isArchived, "its row has the change")
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["b"])
    #expect(try await store.threads(ChappieThreadQuery(.archived)).map(\.archivedAtSeconds) == [world.clock.now])
    world.clock.advance(days: 60)
    try await store.enforceRetention()
    #expect(try await store.threads(ChappieThreadQuery(.all)).count == 2, "the clock is plausible since now")
    world.clock.advance(days: 1)
    for _ in 1...2 { try await store.enforceRetention() }
    #expect(try await store.threads(ChappieThreadQuery(.all)).map(\.id) == ["b"])
    await Task.onGLib {}.value  // After all that was told.
    #expect(notifications.withLock { $0 } == ["created", "archived", "deleted"])
  }

  @Test func anUnarchivedThreadGetsTheWholePeriodAgain() async throws {
    let store = world.store(retention: .default)
    try await store.create(.sample("a", at: world.clock.now))
    world.clock.advance(days: 31)
    #expect(try await store.threads(ChappieThreadQuery()).isEmpty)
    try await store.change("a", .unarchive)
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["a"])
    world.clock.advance(days: 29)
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["a"])
    world.clock.advance(days: 1)
    #expect(try await store.threads(ChappieThreadQuery()).isEmpty)
  }

  /// On any clock: the limit is not about time.
  @Test func eachWriteEnforcesTheLimit() async throws {
    world.servers.follow(nil)
    let text = String(repeating: "x", count: 4_000)
    let cap: Int64 = 20_000
    let store = world.store(retention: ChappieThreadStoreRetentionPolicy(maximumTotalBytes: cap))
    for number in 1...8 {
      world.clock.advance(seconds: 1)
      try await store.create(.sample("n\(number)", at: world.clock.now))
      try await store.append(.sample("t", text, at: world.clock.now), to: "n\(number)")
      if number == 2 { try await store.change("n2", .archive) }
      #expect(try await store.usage().usedBytes <= cap)
    }
    // The archived thread was deleted first, then the oldest.
    #expect(try await world.store().threads(ChappieThreadQuery(.all)).map(\.id) == ["n8", "n7", "n6", "n5"])
  }

  @Test func aThreadLargerThanTheLimitIsRefusedAndNoOtherIsDeleted() async throws {
    let store = world.store(retention: ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 20_000))
    try await store.create(.sample("a"))
    try await store.create(.sample("b"))
    try await store.append(.sample("t1"), to: "b")
    let before = try await store.threads(ChappieThreadQuery(.all))
    let error = await #expect(throws: ChappieThreadStoreError.self) {
      try await store.append(.sample("t2", String(repeating: "x", count: 20_000)), to: "b")
    }
    #expect(error?.kind == "full")
    #expect(try await world.store().threads(ChappieThreadQuery(.all)) == before)
    #expect(try await world.store().thread("b").turns.map(\.id) == ["t1"])
  }

  /// Most threads were encrypted with a key that is lost.
  @Test func unreadableThreadsCauseNoDeletion() async throws {
    let store = world.store(retention: ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 20_000))
    for id in ["a", "b"] { try await store.create(.sample(id)) }
    try world.database().run(
      """
      INSERT INTO threads SELECT 'lost', title, title_number, created_at, updated_at, archived_at, 7, 0, 20000 FROM threads
        WHERE id = 'a'
      """)
    for reader in [store, world.store(retention: ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 20_000))] {
      try await reader.change("a", .archive)
      try await reader.enforceRetention()
      #expect(try await reader.threads(ChappieThreadQuery(.all)).map(\.id).sorted() == ["a", "b"])
    }
    let usage = try await world.store().usage()
    #expect([usage.threadCount, usage.unreadableCount] == [2, 1])
    let error = await #expect(throws: ChappieThreadStoreError.self) {
      try await world.store(retention: ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 20_000))
        .append(.sample("t"), to: "b")
    }
    let message = error?.description ?? ""
    #expect(error?.kind == "full" && message.contains("cannot be read") && message.contains("delete all threads"))
  }

  @Test func failedRetentionIsNotReported() async throws {
    let notifications = Mutex<[String]>([])
    let store = world.store(retention: .default, patience: .milliseconds(50))
    store.onChange { thread, change in if change == .deleted { notifications.withLock { $0.append(thread) } } }
    for id in ["a", "b", "c"] {
      try await store.create(.sample(id, at: world.clock.now))
      try await store.change(id, .archive)
    }
    world.clock.advance(days: 61)
    try await store.enforceRetention()
    world.clock.advance(days: 1)
    let other = try world.database()
    try other.run("BEGIN IMMEDIATE")
    #expect(try await store.threads(ChappieThreadQuery(.all)).count == 3)
    await Task.onGLib {}.value
    #expect(notifications.withLock { $0 }.isEmpty)
    try other.run("ROLLBACK")
    #expect(try await store.threads(ChappieThreadQuery(.all)).isEmpty)
    await Task.onGLib {}.value
    #expect(notifications.withLock { $0 } == ["a", "b", "c"], "once each")
  }

  @Test func retentionRunsDailyWithoutAWrite() async throws {
    let notifications = Mutex<Int>(0)
    let store = ChappieFileThreadStore(
      directory: world.directory, device: { "d0" }, keys: world.keys, clock: { [clock = world.clock] in clock.now },
      round: .milliseconds(20))
    store.onChange { _, change in if change == .archived { notifications.withLock { $0 += 1 } } }
    try await store.create(.sample("a", at: world.clock.now))
    world.clock.advance(days: 31)
    try await eventually { notifications.withLock { $0 } == 1 }
  }

  // MARK: The clock

  /// Thread `a`, archived, with its whole time left.
  private func archived() async throws -> ChappieFileThreadStore {
    let store = world.store(retention: .default)
    try await store.create(.sample("a", at: world.clock.now))
    try await store.change("a", .archive)
    return store
  }

  private func count(_ store: ChappieFileThreadStore) async throws -> Int {
    try await store.threads(ChappieThreadQuery(.all)).count
  }

  /// The clock of a machine that leaps, while servers tell the time.
  @Test func aClockThatIsAheadDeletesNothing() async throws {
    let store = try await archived()
    world.servers.follow(nil)
    let right = world.clock.now
    world.clock.advance(days: 61)
    for told in [nil, right] as [Int64?] {
      world.servers.tell(told)
      for _ in 0..<4 {
        #expect(try await count(store) == 1)
        #expect(try await count(world.store(retention: .default)) == 1)
        world.clock.advance(days: 2)
      }
    }
  }

  /// The clock was behind or the machine was off. Servers agree with it, and after a day it is believed.
  @Test func aClockThatIsRightDeletesAfterADay() async throws {
    let store = try await archived()
    world.clock.advance(days: 61)
    #expect(try await count(store) == 1, "the first listing after a leap")
    world.clock.advance(seconds: 86_399)
    #expect(try await count(world.store(retention: .default)) == 1)
    world.clock.advance(seconds: 1)
    #expect(try await count(world.store(retention: .default)) == 0, "other processes know since when")
  }

  @Test func aClockBehindTheLastWriteDeletesNothing() async throws {
    let store = try await archived()
    world.clock.advance(days: 70)
    try await store.create(.sample("b", at: world.clock.now))
    world.clock.advance(days: -5)
    for _ in 0..<3 {
      #expect(try await count(world.store(retention: .default)) == 2)
      world.clock.advance(days: 1.5)
    }
    world.clock.advance(days: 2)
    #expect(try await count(world.store(retention: .default)) == 2)
    world.clock.advance(days: 1)
    #expect(try await count(world.store(retention: .default)) == 1)
  }

  // MARK: Running turns

  /// Two store objects on one directory, or one in memory.
  private func stores(inMemory: Bool) -> [any ChappieThreadStore] {
    if inMemory { return [world.memoryStore(retention: .default)] }
    return [world.store(retention: .default), world.store(retention: .default)]
  }

  /// Runs every operation that enforces retention.
  private func useOthers(_ store: any ChappieThreadStore) async throws {
    try await store.append(.sample("t", at: world.clock.now), to: "other")
    _ = try await store.threads(ChappieThreadQuery())
    try await (store as? ChappieFileThreadStore)?.enforceRetention()
  }

  @Test(arguments: [false, true]) func aThreadThatIsDueStaysUntilItsTurnHasEnded(_ inMemory: Bool) async throws {
    let stores = stores(inMemory: inMemory)
    for id in ["active", "away", "other"] { try await stores[0].create(.sample(id, at: world.clock.now)) }
    try await stores[0].change("away", .archive)
    var lease: TurnLease? = TurnLease()
    try await TurnLease.$current.withValue(lease) {
      for id in ["active", "away"] { _ = try await stores[0].summary(of: id) }
    }
    world.clock.advance(days: 100)
    for store in stores {
      try await useOthers(store)
      #expect(Set(try await store.threads(ChappieThreadQuery(.active)).map(\.id)) == ["active", "other"])
      #expect(try await store.threads(ChappieThreadQuery(.archived)).map(\.id) == ["away"])
    }
    withExtendedLifetime(lease) {}
    lease = nil
    try await useOthers(stores[0])
    world.clock.advance(days: 1)
    try await useOthers(stores[0])
    #expect(try await stores[0].threads(ChappieThreadQuery(.active)).map(\.id) == ["other"])
    #expect(try await stores[0].threads(ChappieThreadQuery(.archived)).map(\.id) == ["active"])
  }

  /// The turn itself makes the first access after a long time.
  @Test(arguments: [false, true]) func aTurnTakesBackAThreadThatWasDue(_ inMemory: Bool) async throws {
    let store = stores(inMemory: inMemory)[0]
    try await store.create(.sample("away", at: world.clock.now))
    try await store.change("away", .archive)
    world.clock.advance(days: 100)
    try await TurnLease.$current.withValue(TurnLease()) {
      _ = try await store.summary(of: "away")
      try await store.append(.sample("t", at: world.clock.now), to: "away")
    }
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["away"])
  }
}

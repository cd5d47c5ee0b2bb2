// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import ChappieSDKRuntime

/// A database that changed while the store was closed.
struct OtherFileTests {
  private let world = FileStoreWorld()

  /// Changes by a bad disk, a bad backup or a curious user while the database is closed.
  enum Ruin: CaseIterable {
    case emptied, cutInTheFirstPage, cut, noise, text, noiseInFront, longer, otherVersion, otherDatabase, otherDevice,
      withoutTables, noiseBesideALog
  }

  private func ruin(_ how: Ruin) throws {
    let name = DatabaseFiles.database
    let whole = try world.bytes(name)
    func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
    switch how {
    case .emptied:
      try world.write([], name)
      try world.write(noise(5_000), DatabaseFiles.log)
    case .cutInTheFirstPage: try world.write(whole.prefix(1_000), name)
    case .cut: try world.write(whole.prefix(whole.count / 2), name)
    case .noise: try world.write(noise(whole.count), name)
    case .text: try world.write("What I did on my holidays\n".utf8, name)
    case .noiseInFront: try world.write(noise(4_096) + whole.dropFirst(4_096), name)
    case .longer: #expect(truncate(world.path(name), 1 << 40) == 0)
    case .noiseBesideALog:
      // As after a killed process: the log is intact and has the newest pages.
      do {
        let database = try world.database()
        try database.run("UPDATE threads SET bytes = bytes")
        try world.write(world.bytes(DatabaseFiles.log), "log")
      }
      try world.write(noise(whole.count), name)
      try world.write(world.bytes("log"), DatabaseFiles.log)
    case .otherVersion: try world.database().run("PRAGMA user_version = 2")
    case .otherDatabase: try world.database().run("PRAGMA application_id = 7")
    case .otherDevice: try world.database().run("UPDATE store SET device = 'd1'")
    case .withoutTables:
      for table in ["DROP TABLE threads", "DROP TABLE turns", "DROP TABLE store"] as [StaticString] {
        try world.database().run(table)
      }
    }
  }

  @Test(arguments: Ruin.allCases) func aDamagedDatabaseIsAnErrorAndIsNotChanged(_ how: Ruin) async throws {
    _ = try await makeThreads()
    try await world.closed()
    try ruin(how)
    // SQLite ignores bytes after the size in its header.
    if how == .longer { return #expect(try await world.store().threads(ChappieThreadQuery()).count == 2) }
    let files = try world.names.filter { $0 == DatabaseFiles.database || $0 == DatabaseFiles.log }
    let before = try files.map { try world.bytes($0) }
    let store = world.store()
    for access in store.reads + store.writes {
      let error = await #expect(throws: ChappieThreadStoreError.self) { try await access() }
      #expect(error?.kind == "unreadable")
      let text = error?.description ?? ""
      #expect(text.contains(how == .otherVersion ? "Another version" : "delete all"), "\(text)")
    }
    #expect(try files.map { try world.bytes($0) } == before)
    // deleteAll repairs the store.
    try await store.deleteAll()
    try await store.create(.sample("c"))
    #expect(try await world.store().threads(ChappieThreadQuery(.all)).map(\.id) == ["c"])
  }

  @Test func threadsOfAnotherDeviceStayReadableThere() async throws {
    _ = try await makeThreads()
    let error = await #expect(throws: ChappieThreadStoreError.self) {
      try await world.store(device: "d1").threads(ChappieThreadQuery())
    }
    #expect(error?.description.contains("stored on another device") == true)
    #expect(try await world.store().threads(ChappieThreadQuery()).count == 2)
  }

  /// Random bytes at any place must neither yield content that was not stored nor crash the program.
  @Test func randomDamageNeverYieldsWrongContent() async throws {
    let writer = try await makeThreads()
    for turn in 2...30 { try await writer.append(.sample("t\(turn)", String(repeating: "x", count: 900)), to: "a") }
    let known = try await writer.thread("a").turns
    try world.backUp(to: "copy")
    for number in 0..<40 {
      var bytes = try world.bytes("copy")
      let place = bytes.count * number / 40
      for offset in place..<min(bytes.count, place + 64) { bytes[offset] = UInt8.random(in: 0...255) }
      let other = FileStoreWorld()
      try #require(mkdir(other.directory, 0o700) == 0)
      try other.write(bytes, DatabaseFiles.database)
      let store = other.store(keys: world.keys)
      do {
        for summary in try await store.threads(ChappieThreadQuery()) where ["a", "b"].contains(summary.id) {
          let turns = try await store.thread(summary.id).turns
          #expect(turns.allSatisfy { known.contains($0) || $0.id == "t1" }, "\(number)")
        }
        try await store.append(.sample("new"), to: "a")
      } catch is ChappieThreadStoreError {}
    }
  }

  // MARK: Damaged threads

  @Test func missingTurnsAreReported() async throws {
    let store = try await makeThreads()
    for number in 2...5 { try await store.append(.sample("t\(number)"), to: "a") }
    try world.database().run("DELETE FROM turns WHERE thread = 'a' AND sequence IN (2, 3)")
    #expect(try await store.thread("a").turns.map(\.id) == ["t1", "t4", "t5"])
    #expect(
      try await store.thread("a").damage == [
        ChappieThreadDamage(offset: 2, reason: "it is missing, and so are the next 1")
      ])
    try world.database().run("DELETE FROM turns WHERE thread = 'a' AND sequence = 5")
    #expect(try await store.thread("a").damage.map(\.offset) == [2, 5])
    // The list still has the count of the row: otherwise each turn would read the thread again.
    #expect(try await store.summary(of: "a") == store.thread("a").summary)
  }

  @Test func aChangedTurnLeavesTheOthersReadable() async throws {
    let store = try await makeThreads()
    for number in 2...3 { try await store.append(.sample("t\(number)"), to: "a") }
    try world.database().run("UPDATE turns SET content = zeroblob(500) WHERE thread = 'a' AND sequence = 2")
    #expect(try await store.thread("a").turns.map(\.id) == ["t1", "t3"])
    #expect(try await store.thread("a").damage.map(\.offset) == [2])
    try await store.append(.sample("t4"), to: "a")
    #expect(try await world.store().thread("a").turns.map(\.id) == ["t1", "t3", "t4"])
  }

  @Test func aChangedTitleLeavesTheTurnsReadable() async throws {
    let store = try await makeThreads()
    try world.database().run("UPDATE threads SET title = zeroblob(60) WHERE id = 'a'")
    #expect(try await store.threads(ChappieThreadQuery()).count == 2)
    #expect(try await store.thread("a").turns.map(\.id) == ["t1"])
    #expect(try await store.thread("a").damage.map(\.offset) == [0])
    try await store.change("a", .rename("New"))
    #expect(try await world.store().thread("a").damage.isEmpty)
  }

  private func makeThreads() async throws -> ChappieFileThreadStore {
    let store = world.store()
    for id in ["a", "b"] {
      try await store.create(.sample(id))
      try await store.append(.sample("t1"), to: id)
    }
    return store
  }

  // MARK: The key

  /// A new key would hide the loss of the old key.
  @Test func aMissingKeyIsAnErrorAndIsNotReplaced() async throws {
    _ = try await makeThreads()
    try await world.closed()
    let before = try world.bytes("threads.db")
    world.keys.lose()
    let store = world.store()
    for access in store.reads + store.writes {
      let error = await #expect(throws: ChappieThreadStoreError.self) { try await access() }
      #expect(error?.description.contains("The key of the stored threads is missing") == true)
    }
    #expect(try world.bytes("threads.db") == before)
    try await store.deleteAll()
    world.keys.lose()
    try await store.create(.sample("c"))
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["c"])
  }
}

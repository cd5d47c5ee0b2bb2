// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import FoundationEssentials
import GLibBridge
import Glibc
import Platform
import SQLite
import SecretMemory
import Testing

@testable import ChappieSDKRuntime

struct FileStoreTests {
  private let world = FileStoreWorld()

  @Test func aFileStorePassesTheConformanceSuite() async throws {
    var worlds: [FileStoreWorld] = []
    try await ChappieThreadStoreConformance.run {
      let world = FileStoreWorld()
      worlds.append(world)
      return ChappieFileThreadStore(directory: world.directory, device: { "d0" }, keys: world.keys)
    }
    #expect(worlds.count > 10)
  }

  @Test func aThreadIsReadAsItWasStored() async throws {
    let store = world.store()
    try await store.create(.sample("a", title: "A walk"))
    let turns = (1...3).map { ChappieTurn.sample("t\($0)", "Question \($0) – ‘ü’ 🌲 \u{1F}", at: 1_800_000_000 + $0) }
    for turn in turns { try await store.append(turn, to: "a") }
    for other in [store, world.store()] {
      let thread = try await other.thread("a")
      #expect(thread.turns == turns)
      #expect(thread.damage.isEmpty)
      #expect(thread.summary.title == "A walk")
      #expect(thread.summary.turnCount == 3)
      #expect(thread.summary.updatedAtSeconds == 1_800_000_003)
      #expect(try await other.threads(ChappieThreadQuery()) == [thread.summary])
    }
  }

  @Test func changesAreStored() async throws {
    try await world.store().create(.sample("a", title: "One"))
    world.clock.advance(seconds: 5)
    try await world.store().change("a", .rename("Two"))
    #expect(try await world.store().thread("a").summary.title == "Two")
    #expect(try await world.store().thread("a").summary.updatedAtSeconds == world.clock.now)
    try await world.store().change("a", .archive)
    #expect(try await world.store().threads(ChappieThreadQuery()).isEmpty)
    #expect(
      try await world.store().threads(ChappieThreadQuery(.archived)).map(\.archivedAtSeconds) == [world.clock.now])
    world.clock.advance(seconds: 5)
    let archived = try await world.store().threads(ChappieThreadQuery(.archived))
    try await world.store().change("a", .archive)
    #expect(
      try await world.store().threads(ChappieThreadQuery(.archived)) == archived,
      "a change without an effect changes nothing")
    try await world.store().change("a", .unarchive)
    #expect(try await world.store().thread("a").summary.isArchived == false)
    #expect(try await world.store().threads(ChappieThreadQuery()).map(\.id) == ["a"])
    try await world.store().change("a", .archive)
    try await world.store().append(.sample("t"), to: "a")
    #expect(try await world.store().thread("a").summary.isArchived == false, "a turn unarchives its thread")
  }

  @Test func aDeletedThreadIsGone() async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    try await store.create(.sample("b"))
    try await store.delete("a")
    for other in [store, world.store()] {
      await #expect(throws: ChappieThreadStoreError.noSuchThread("a")) { try await other.thread("a") }
      await #expect(throws: ChappieThreadStoreError.noSuchThread("a")) { try await other.delete("a") }
      await #expect(throws: ChappieThreadStoreError.noSuchThread("a")) { try await other.append(.sample("t"), to: "a") }
      #expect(try await other.threads(ChappieThreadQuery(.all)).map(\.id) == ["b"])
    }
    #expect(try world.database().number("SELECT count(*) FROM turns WHERE thread = 'a'") == 0)
  }

  @Test func anExistingIDIsRefused() async throws {
    try await world.store().create(.sample("a"))
    await #expect(throws: ChappieThreadStoreError.exists("a")) { try await world.store().create(.sample("a")) }
  }

  @Test(arguments: ["", "../a", "a/b", ".", "A", "a b", "a\0", "ä", String(repeating: "a", count: 65)])
  func anInvalidIDIsRefused(_ id: String) async throws {
    let store = world.store()
    await #expect(throws: ChappieThreadStoreError.self) { try await store.create(.sample(id)) }
    for operation in [
      { try await store.append(.sample("t"), to: id) }, { _ = try await store.thread(id) },
      { try await store.delete(id) }, { try await store.change(id, .archive) },
    ] as [@Sendable () async throws -> Void] {
      await #expect(throws: ChappieThreadStoreError.noSuchThread(id)) { try await operation() }
    }
    #expect(try await store.threads(ChappieThreadQuery(.all)).isEmpty)
  }

  @Test func aMissingDirectoryIsAnEmptyStore() async throws {
    #expect(try await world.store().threads(ChappieThreadQuery(.all)).isEmpty)
    #expect(try await world.store().usage().threadCount == 0)
    // It does not ask for a key, because that would create one.
    world.keys.fail(.keyringUnavailable("It is away."))
    #expect(try await world.store().threads(ChappieThreadQuery()).isEmpty)
    #expect(
      try await world.store().usage()
        == ChappieThreadStoreUsage(
          usedBytes: 0, limitBytes: nil, threadCount: 0, archivedCount: 0))
    for read in [
      { _ = try await world.store().thread("a") }, { _ = try await world.store().summary(of: "a") },
    ] as [@Sendable () async throws -> Void] {
      await #expect(throws: ChappieThreadStoreError.noSuchThread("a")) { try await read() }
    }
    #expect(!FileManager.default.fileExists(atPath: world.directory), "reading creates nothing")
  }

  @Test func usageIsTheSizeOfTheThreads() async throws {
    let store = world.store(retention: .default)
    for id in ["a", "b", "c"] { try await store.create(.sample(id)) }
    try await store.append(.sample("t"), to: "b")
    try await store.change("c", .archive)
    let sizes = try await store.threads(ChappieThreadQuery(.all)).map(\.bytes)
    #expect(try #require(sizes.min()) > 0)
    let usage = ChappieThreadStoreUsage(
      usedBytes: sizes.reduce(0, +), limitBytes: 256 << 20, threadCount: 3, archivedCount: 1)
    #expect(try await store.usage() == usage)
    #expect(try await world.store(retention: .default).usage() == usage)
  }

  @Test func pagesListTheNewestFirst() async throws {
    let store = world.store()
    for number in 1...25 {
      // Some changed in the same second.
      try await store.create(.sample("n\(number)", at: 1_800_000_000 + Int64(number / 3)))
    }
    let all = try await store.threads(ChappieThreadQuery())
    #expect(all.map(\.updatedAtSeconds) == all.map(\.updatedAtSeconds).sorted(by: >))
    var paged: [ChappieThreadSummary] = []
    while true {
      let page = try await world.store().threads(ChappieThreadQuery(limit: 4, after: paged.last))
      if page.isEmpty { break }
      paged += page
    }
    #expect(paged == all)
  }

  @Test func tenThousandThreadsCanBeListed() async throws {
    try await world.store().create(.sample("first"))
    let seal = ThreadSealer(key: try await world.keys.key(interaction: .forbidden))
    let database = try world.database()
    try database.transaction(.writing) {
      for number in 0..<10_000 {
        var summary = ChappieThreadSummary.sample("n\(number)", title: "Title \(number)", at: Int64(number))
        summary.changeNumber = Int64(number + 2)
        try ThreadTables(database: database, seal: seal).insert(summary)
      }
    }
    let found = try await world.store().threads(ChappieThreadQuery())
    #expect(found.count == 10_001)
    #expect(found[0].title == "Title 9999")
    #expect(found.last?.id == "first")
  }

  /// A list works even if no turn can be read.
  @Test func aListReadsNoTurn() async throws {
    let store = world.store()
    for id in ["a", "b"] {
      try await store.create(.sample(id, title: "Title \(id)"))
      for number in 1...3 { try await store.append(.sample("t\(number)"), to: id) }
    }
    let listed = try await store.threads(ChappieThreadQuery())
    try world.database().run("DROP TABLE turns")
    #expect(try await world.store().threads(ChappieThreadQuery()) == listed)
    await #expect(throws: ChappieThreadStoreError.self) { try await world.store().thread("a") }
  }

  /// The arguments are the first, a middle and the last thread.
  @Test(arguments: ["n1", "n2", "n3"])
  func deletingAThreadLeavesTheOthersUnchanged(_ deleted: String) async throws {
    let store = world.store()
    for number in 1...3 { try await store.create(.sample("n\(number)", title: "Title \(number)")) }
    try await store.append(.sample("t1"), to: "n2")
    try await store.change("n3", .archive)
    let others = try await store.threads(ChappieThreadQuery(.all)).filter { $0.id != deleted }
    try await store.delete(deleted)
    for store in [store, world.store()] {
      #expect(try await store.threads(ChappieThreadQuery(.all)) == others)
      for summary in others { #expect(try await store.thread(summary.id).summary == summary) }
    }
    for summary in others { try await store.delete(summary.id) }
    #expect(try await store.usage().usedBytes == 0)
  }

  /// Free pages go back to the file system, and no file has deleted content.
  @Test func aDeletedThreadLeavesNoBytesInTheFiles() async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    try await store.create(.sample("b"))
    for number in 1...50 {
      try await store.append(.sample("t\(number)", String(repeating: "x", count: 20_000)), to: "a")
    }
    var sealed: [[UInt8]] = []
    try world.database().forEach("SELECT content FROM turns WHERE sequence < 10") { sealed.append($0.bytes(0)) }
    try await store.delete("a")
    for name in try world.names where name != "reserve" {
      let bytes = try world.bytes(name)
      #expect(bytes.count < 200_000, "\(name)")
      for content in sealed { #expect(bytes.firstRange(of: content[100..<140]) == nil, "\(name)") }
    }
  }

  @Test func filesOfTheEarlierFormatAreLeftAlone() async throws {
    try await world.store().create(.sample("a"))
    for name in ["b.thread", "index", "lock"] { try world.write([1, 2, 3], name) }
    #expect(try await world.store().threads(ChappieThreadQuery(.all)).map(\.id) == ["a"])
    try await world.store().deleteAll()
    for name in ["b.thread", "index", "lock"] { #expect(try world.bytes(name) == [1, 2, 3]) }
  }

  @Test func onlyTheUserCanReadTheFiles() async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    try await store.append(.sample("t"), to: "a")
    func mode(_ path: String) -> mode_t {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    #expect(mode(world.directory) == 0o700)
    for name in try world.names { #expect(mode(world.path(name)) == 0o600, "\(name)") }
  }
}

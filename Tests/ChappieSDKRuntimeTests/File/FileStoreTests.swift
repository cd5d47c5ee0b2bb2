// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import FoundationEssentials
import GLibBridge
import Glibc
import Platform
import SQLite
import Testing

@testable import ChappieSDKRuntime

struct FileStoreTests {
  private let world = FileStoreWorld()

  /// A store that opens its files anew for each access, as other processes do.
  private struct Reopened: ChappieThreadStore {
    private let world = FileStoreWorld()
    private var store: ChappieFileThreadStore { world.store(retention: .default) }

    init() {
      world.clock.advance(seconds: UnixTime.now - world.clock.now)
    }

    func create(_ thread: ChappieThreadSummary) async throws { try await store.create(thread) }
    func append(_ turn: ChappieTurn, to id: String) async throws { try await store.append(turn, to: id) }
    func undoTurn(of id: String, asking text: String?) async throws { try await store.undoTurn(of: id, asking: text) }
    func summary(of id: String) async throws -> ChappieThreadSummary? { try await store.summary(of: id) }
    func thread(_ id: String) async throws -> ChappieThread { try await store.thread(id) }
    func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] { try await store.threads(query) }
    func change(_ id: String, _ change: ChappieThreadChange) async throws { try await store.change(id, change) }
    func delete(_ id: String) async throws { try await store.delete(id) }
    func usage() async throws -> ChappieThreadStoreUsage { try await store.usage() }
  }

  @Test func aFileStorePassesTheConformanceSuite() async throws {
    try await ChappieThreadStoreConformance.run { Reopened() }
    var worlds: [FileStoreWorld] = []
    try await ChappieThreadStoreConformance.run {
      let world = FileStoreWorld()
      worlds.append(world)
      return ChappieFileThreadStore(directory: world.directory, device: { "d0" }, keys: world.keys)
    }
    #expect(worlds.count > 10)
  }

  @Test func changesHaveTheTimeOfTheClock() async throws {
    try await world.store().create(.sample("a", title: "One"))
    world.clock.advance(seconds: 5)
    try await world.store().change("a", .rename("Two"))
    #expect(try await world.store().thread("a").summary.updatedAtSeconds == world.clock.now)
    try await world.store().change("a", .archive)
    let archived = try await world.store().threads(ChappieThreadQuery(.archived))
    #expect(archived.map(\.archivedAtSeconds) == [world.clock.now])
  }

  @Test func aDeletedThreadIsGoneAndTheOthersAreUnchanged() async throws {
    let store = world.store()
    for number in 1...3 { try await store.create(.sample("n\(number)", title: "Title \(number)")) }
    try await store.append(.sample("t1"), to: "n2")
    try await store.change("n3", .archive)
    let others = try await store.threads(ChappieThreadQuery(.all)).filter { $0.id != "n2" }
    try await store.delete("n2")
    #expect(try world.database().number("SELECT count(*) FROM turns") == 0)
    for store in [store, world.store()] {
      #expect(try await store.threads(ChappieThreadQuery(.all)) == others)
      for summary in others { #expect(try await store.thread(summary.id).summary == summary) }
    }
    for summary in others { try await store.delete(summary.id) }
    #expect(try await store.usage().usedBytes == 0)
  }

  @Test(arguments: ["", "../a", "a/b", ".", "A", "a b", "a\0", "ä", String(repeating: "a", count: 65)])
  func anInvalidIDIsRefused(_ id: String) async throws {
    let store = world.store()
    await #expect(throws: ChappieThreadStoreError.self) { try await store.create(.sample(id)) }
    await #expect(throws: ChappieThreadStoreError.noSuchThread(id)) { try await store.append(.sample("t"), to: id) }
    #expect(try await store.threads(ChappieThreadQuery(.all)).isEmpty)
  }

  @Test func aMissingDirectoryIsAnEmptyStore() async throws {
    // It does not ask for a key, because that would create one.
    world.keys.fail(.keyringUnavailable("It is away."))
    #expect(try await world.store().threads(ChappieThreadQuery()).isEmpty)
    #expect(
      try await world.store().usage()
        == ChappieThreadStoreUsage(usedBytes: 0, limitBytes: nil, threadCount: 0, archivedCount: 0))
    for read in [
      { _ = try await world.store().thread("a") }, { _ = try await world.store().summary(of: "a") },
    ] as [@Sendable () async throws -> Void] {
      await #expect(throws: ChappieThreadStoreError.noSuchThread("a")) { try await read() }
    }
    try await world.store().deleteAll()
    #expect(!FileManager.default.fileExists(atPath: world.directory), "this creates nothing")
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

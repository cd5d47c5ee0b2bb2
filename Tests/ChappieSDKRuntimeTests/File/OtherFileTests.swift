import Glibc
import SecretMemory
import Testing

@testable import ChappieSDKRuntime

/// Files that are not the store's, in the place of its own.
struct OtherFileTests {
  private let world = FileStoreWorld()

  private func makeThreads() async throws -> ChappieFileThreadStore {
    let store = world.store()
    for id in ["a", "b"] {
      try await store.create(.sample(id))
      try await store.append(.sample("t1"), to: id)
    }
    return store
  }

  /// What is as large as no memory is: made of nothing, it takes no disk.
  private func blowUp(_ name: String) {
    #expect(truncate(world.path(name), 1 << 40) == 0)
  }

  private func expectOnlyB(_ store: ChappieFileThreadStore) async throws {
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["b"])
    await #expect(throws: ChappieThreadStoreError.self) { try await store.thread("a") }
    await #expect(throws: ChappieThreadStoreError.self) { try await store.append(.sample("t2"), to: "a") }
    await #expect(throws: ChappieThreadStoreError.self) { try await store.change("a", .rename("New")) }
    #expect(try await store.thread("b").turns.count == 1)
    #expect(try await store.usage().unreadableCount == 1)
  }

  @Test func aThreadThatIsTooLargeIsNotRead() async throws {
    let store = try await makeThreads()
    blowUp("a.thread")
    for reader in [world.store(), store] {
      await #expect(throws: ChappieThreadStoreError.self) { try await reader.thread("a") }
      #expect(try await reader.thread("b").turns.count == 1)
    }
    try await expectOnlyB(world.store())
  }

  @Test func anIndexThatIsTooLargeCountsAsNone() async throws {
    _ = try await makeThreads()
    blowUp("index")
    #expect(try await world.store().threads(ChappieThreadQuery()).count == 2)
    try await world.store().append(.sample("t2"), to: "a")
    #expect(try world.bytes("index").count < 10_000)
  }

  /// Also one that is longer, and so looks as if something had been added.
  @Test func aThreadThatAnotherFileReplacedIsNotWrittenTo() async throws {
    let store = try await makeThreads()
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255) }
    try world.write(noise, "a.thread")
    await #expect(throws: ChappieThreadStoreError.self) { try await store.append(.sample("t2"), to: "a") }
    #expect(try world.bytes("a.thread") == noise)
    try await expectOnlyB(world.store())
  }

  // MARK: The key

  /// A new one would hide that the old one is gone, with all that it opened.
  @Test func aKeyThatIsGoneIsNotReplacedInSilence() async throws {
    _ = try await makeThreads()
    let before = try world.names
    world.keys.lose()
    let store = world.store()
    for access in [
      { _ = try await store.threads(ChappieThreadQuery()) }, { _ = try await store.thread("a") },
      { try await store.append(.sample("t2"), to: "a") }, { try await store.create(.sample("c")) },
      { try await store.delete("a") },
    ] as [@Sendable () async throws -> Void] {
      let error = await #expect(throws: ChappieThreadStoreError.self) { try await access() }
      #expect(error?.description.contains("The key of the stored threads is gone") == true)
    }
    #expect(try world.names == before)
    try await store.deleteAll()
    world.keys.lose()
    try await store.create(.sample("c"))
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["c"])
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import Platform
import Synchronization
import Testing

@testable import ChappieSDKRuntime

@Suite
struct InMemoryThreadStoreTests {
  @Test func passesTheConformanceSuite() async throws {
    try await ChappieThreadStoreConformance.run { ChappieInMemoryThreadStore() }
  }

  private static let day: Int64 = 86_400
  private static let start: Int64 = 1_900_000_000

  /// A store with a clock that the test sets.
  private final class Clock: Sendable {
    let time = Mutex(InMemoryThreadStoreTests.start)

    func advance(days: Int64) { time.withLock { $0 += days * InMemoryThreadStoreTests.day } }

    func store(_ policy: ChappieThreadStoreRetentionPolicy = .default) -> ChappieInMemoryThreadStore {
      ChappieInMemoryThreadStore(
        retentionPolicy: policy, serverTime: { Timestamp(self.time.withLock { $0 }) },
        now: { self.time.withLock { $0 } })
    }
  }

  private func create(_ id: String, in store: ChappieInMemoryThreadStore, at time: Int64 = start) async throws {
    try await store.create(ChappieThreadSummary(id: id, createdAtSeconds: time, updatedAtSeconds: time))
  }

  private func turn(_ time: Int64 = start, length: Int = 1) -> ChappieTurn {
    ChappieTurn(id: "t", recordedAtSeconds: time, events: [.input(.user(String(repeating: "x", count: length)))])
  }

  @Test func archivesAndDeletesByTheDefaultPolicy() async throws {
    let clock = Clock()
    let store = clock.store()
    try await create("old", in: store)
    clock.advance(days: 29)
    #expect(try await store.threads(ChappieThreadQuery()).count == 1)
    clock.advance(days: 2)
    #expect(try await store.threads(ChappieThreadQuery()).isEmpty)
    #expect(try await store.threads(ChappieThreadQuery(.archived)).map(\.id) == ["old"])
    clock.advance(days: 59)
    #expect(try await store.usage().archivedCount == 1)
    clock.advance(days: 2)
    #expect(try await store.usage().archivedCount == 1)
    clock.advance(days: 1)
    #expect(try await store.usage().threadCount == 0)
    await #expect(throws: ChappieThreadStoreError.noSuchThread("old")) { try await store.thread("old") }
  }

  @Test func anUnlimitedPolicyKeepsEverything() async throws {
    let clock = Clock()
    let store = clock.store(.unlimited)
    try await create("old", in: store)
    clock.advance(days: 10_000)
    #expect(try await store.threads(ChappieThreadQuery()).count == 1)
    #expect(try await store.usage().limitBytes == nil)
  }

  @Test func theLimitDeletesTheOldestAndNeverTheWrittenThread() async throws {
    let clock = Clock()
    let store = clock.store(ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 1100))
    for (number, id) in ["a", "b", "c"].enumerated() {
      try await create(id, in: store, at: Self.start + Int64(number))
      try await store.append(turn(Self.start + Int64(number), length: 150), to: id)
    }
    try await store.change("b", .archive)
    try await store.append(turn(Self.start + 9, length: 300), to: "a")
    // The archived one went first.
    #expect(try await store.threads(ChappieThreadQuery(.all)).map(\.id) == ["a", "c"])
    try await store.append(turn(Self.start + 10, length: 2000), to: "c")
    #expect(try await store.threads(ChappieThreadQuery(.all)).map(\.id) == ["c"])
    #expect(try await store.thread("c").turns.count == 2)
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import Testing

@testable import ChappieSDKRuntime

@Suite
struct InMemoryThreadStoreTests {
  private let world = FileStoreWorld()

  @Test func passesTheConformanceSuite() async throws {
    try await ChappieThreadStoreConformance.run { ChappieInMemoryThreadStore() }
  }

  @Test func theLimitDeletesTheOldestAndNeverTheWrittenThread() async throws {
    let start = world.clock.now
    func turn(_ time: Int64, length: Int) -> ChappieTurn {
      ChappieTurn(id: "t", recordedAtSeconds: time, events: [.input(.user(String(repeating: "x", count: length)))])
    }
    let store = world.memoryStore(retention: ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 1100))
    for (number, id) in ["a", "b", "c"].enumerated() {
      try await store.create(.sample(id, at: start + Int64(number)))
      try await store.append(turn(start + Int64(number), length: 150), to: id)
    }
    try await store.change("b", .archive)
    try await store.append(turn(start + 9, length: 300), to: "a")
    // The archived one went first.
    #expect(try await store.threads(ChappieThreadQuery(.all)).map(\.id) == ["a", "c"])
    try await store.append(turn(start + 10, length: 2000), to: "c")
    #expect(try await store.threads(ChappieThreadQuery(.all)).map(\.id) == ["c"])
    #expect(try await store.thread("c").turns.count == 2)
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Testing

@testable import ChappieSDKRuntime

/// Times keep their microseconds.
struct FinerTimeTests {
  private let world = FileStoreWorld()

  @Test func aFileStoreKeepsMicroseconds() async throws {
    try await world.store().create(
      ChappieThreadSummary(
        id: "a", createdAtSeconds: 100, updatedAtSeconds: 100, createdAtMicroseconds: 1, updatedAtMicroseconds: 999_999)
    )
    try await world.store().append(
      ChappieTurn(id: "t", recordedAtSeconds: 101, recordedAtMicroseconds: 7, events: []), to: "a")
    let thread = try await world.store().thread("a")
    #expect(thread.summary.createdAtMicroseconds == 1)
    #expect((thread.summary.updatedAtSeconds, thread.summary.updatedAtMicroseconds) == (101, 7))
    #expect(thread.turns.map(\.recordedAtMicroseconds) == [7])
    #expect(try await world.store().threads(ChappieThreadQuery()) == [thread.summary])
  }

  @Test func anEarlierTurnDoesNotMoveTheTimeBack() {
    var summary = ChappieThreadSummary(
      id: "a", createdAtSeconds: 100, updatedAtSeconds: 100, updatedAtMicroseconds: 500)
    summary.add(ChappieTurn(id: "t", recordedAtSeconds: 100, recordedAtMicroseconds: 400, events: []), number: 1)
    #expect((summary.updatedAtSeconds, summary.updatedAtMicroseconds) == (100, 500))
    summary.add(ChappieTurn(id: "u", recordedAtSeconds: 100, recordedAtMicroseconds: 600, events: []), number: 2)
    #expect((summary.updatedAtSeconds, summary.updatedAtMicroseconds) == (100, 600))
  }

  @Test func aRuntimeWritesMicroseconds() async throws {
    var parts: Set<Int32> = []
    let store = ChappieInMemoryThreadStore()
    for _ in 0..<5 { _ = try await store.create(titled: "x") }
    for thread in try await store.threads(ChappieThreadQuery()) { parts.insert(thread.createdAtMicroseconds) }
    #expect(parts.count > 1)
  }

  @Test func threadsWithoutMicrosecondsAreRead() throws {
    let old: ChappieJSONValue = ["id": "a", "createdAt": 5, "updatedAt": 6]
    let summary = try ChappieThreadSummary(jsonValue: old)
    #expect((summary.createdAtMicroseconds, summary.updatedAtMicroseconds) == (0, 0))
    #expect(summary.jsonValue["createdAtMicroseconds"] == nil)
    let wrong: ChappieJSONValue = ["id": "a", "createdAt": 5, "updatedAt": 6, "createdAtMicroseconds": 2_000_000]
    #expect(try ChappieThreadSummary(jsonValue: wrong).createdAtMicroseconds == 999_999)
  }
}

// SPDX-License-Identifier: Apache-2.0
import Glibc
import SQLite
import Testing

@testable import ChappieSDKRuntime

/// Several store objects on one directory stand for several processes.
struct SharedStoreTests {
  private let world = FileStoreWorld()

  @Test func eachStoreSeesTheWritesOfTheOther() async throws {
    let left = world.store()
    let right = world.store()
    try await left.create(.sample("a"))
    #expect(try await right.threads(ChappieThreadQuery()).map(\.id) == ["a"])
    try await right.append(.sample("t1"), to: "a")
    try await left.append(.sample("t2"), to: "a")
    try await right.change("a", .rename("Two"))
    #expect(try await left.threads(ChappieThreadQuery()) == right.threads(ChappieThreadQuery()))
    #expect(try await left.thread("a").turns.map(\.id) == ["t1", "t2"])
    #expect(try await left.thread("a").summary == right.threads(ChappieThreadQuery())[0])
    try await left.delete("a")
    #expect(try await right.threads(ChappieThreadQuery()).isEmpty)
  }

  /// Many processes may start at the same time.
  @Test func manyStoresCanCreateTheDatabaseAtOnce() async throws {
    for _ in 1...10 {
      let world = FileStoreWorld()
      try await withThrowingTaskGroup { group in
        for writer in 0..<6 {
          group.addTask { try await world.store().create(.sample("w\(writer)")) }
        }
        try await group.waitForAll()
      }
      #expect(try await world.store().threads(ChappieThreadQuery()).count == 6)
    }
  }

  @Test func aWriteWaitsForAnotherWriteAndAReadDoesNot() async throws {
    let store = world.store(patience: .milliseconds(50))
    try await store.create(.sample("a"))
    let other = try world.database()
    try other.run("BEGIN IMMEDIATE")
    #expect(try await store.thread("a").id == "a")
    #expect(try await world.store().threads(ChappieThreadQuery()).count == 1)
    for deed in [
      { try await store.append(.sample("t"), to: "a") }, { try await store.delete("a") },
      { try await store.create(.sample("b")) },
    ] as [@Sendable () async throws -> Void] {
      let error = await #expect(throws: ChappieThreadStoreError.self) { try await deed() }
      guard case .busy = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    try other.run("ROLLBACK")
    #expect(try await store.thread("a").turns.isEmpty)
    try await store.append(.sample("t"), to: "a")
  }

  /// If the files of an open database are gone or replaced, the store opens them again.
  @Test(arguments: ["moved", "replaced", "deleted"])
  func replacedFilesAreOpenedAgain(_ what: String) async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    try world.backUp(to: "copy")
    try await store.append(.sample("t1"), to: "a")
    switch what {
    case "moved":
      let beside = try world.names.filter { $0.hasPrefix("threads.db") }
      for name in beside { #expect(rename(world.path(name), world.path("moved-" + name)) == 0) }
      #expect(try await store.threads(ChappieThreadQuery()).isEmpty)
    case "replaced":
      for name in ["threads.db-wal", "threads.db-shm"] { try world.remove(name) }
      #expect(rename(world.path("copy"), world.path("threads.db")) == 0)
      #expect(try await store.thread("a").turns.isEmpty)
    default:
      try await world.store().deleteAll()
      #expect(try await store.threads(ChappieThreadQuery()).isEmpty)
    }
    let other = world.store()
    try await other.create(.sample("b"))
    try await store.append(.sample("t2"), to: "b")
    #expect(try await other.thread("b").turns.map(\.id) == ["t2"])
  }
}

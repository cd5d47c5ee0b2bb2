// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Synchronization
import Testing

@testable import ChappieSDKRuntime

/// The conformance suite finds the mistakes of a store.
@Suite
struct ConformanceTests {
  /// A store in memory with one mistake.
  struct Mistaken: ChappieThreadStore {
    enum Mistake: CaseIterable {
      case losesTitles, losesTurns, reversesTurns, losesPayloads, listsArchived, ignoresPages, staysArchived,
        deletesNothing
      case countsNothing, acceptsTurnsOfNoThread, createsTwice, renamesToTheSame, ordersByTime
    }

    let mistake: Mistake
    let inner = ChappieInMemoryThreadStore()

    func create(_ thread: ChappieThreadSummary) async throws {
      var thread = thread
      if mistake == .losesTitles { thread.title = "" }
      do {
        try await inner.create(thread)
      } catch ChappieThreadStoreError.exists where mistake == .createsTwice {}
    }

    func append(_ turn: ChappieTurn, to thread: String) async throws {
      var turn = turn
      if mistake == .losesPayloads { turn.events.removeAll { if case .payload = $0 { true } else { false } } }
      if mistake == .losesTurns { turn.events = [] }
      let wasArchived = try? await inner.thread(thread).summary.isArchived
      do {
        try await inner.append(turn, to: thread)
      } catch ChappieThreadStoreError.noSuchThread where mistake == .acceptsTurnsOfNoThread {}
      if mistake == .staysArchived, wasArchived == true { try await inner.change(thread, .archive) }
    }

    func thread(_ id: String) async throws -> ChappieThread {
      var thread = try await inner.thread(id)
      if mistake == .reversesTurns { thread.turns.reverse() }
      return thread
    }

    func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
      var query = query
      if mistake == .listsArchived { query.kind = .all }
      if mistake == .ignoresPages { query.after = nil }
      guard mistake == .ordersByTime else { return try await inner.threads(query) }
      return try await inner.threads(query).sorted { ($0.updatedAt, $0.id) > ($1.updatedAt, $1.id) }
    }

    func change(_ thread: String, _ change: ChappieThreadChange) async throws {
      if mistake == .renamesToTheSame, case .rename = change { try await inner.change(thread, .rename("between")) }
      try await inner.change(thread, change)
    }

    func delete(_ thread: String) async throws {
      if mistake == .deletesNothing { _ = try await inner.thread(thread) } else { try await inner.delete(thread) }
    }

    func usage() async throws -> ChappieThreadStoreUsage {
      guard mistake == .countsNothing else { return try await inner.usage() }
      return ChappieThreadStoreUsage(usedBytes: 0, limitBytes: 256 << 20, threadCount: 0, archivedCount: 0)
    }
  }

  @Test(arguments: Mistaken.Mistake.allCases)
  func theSuiteFindsEachMistake(_ mistake: Mistaken.Mistake) async throws {
    let violation = await #expect(throws: ChappieThreadStoreViolation.self) {
      try await ChappieThreadStoreConformance.run { Mistaken(mistake: mistake) }
    }
    #expect(violation?.description.hasSuffix(".") == true)
  }

  @Test func theFileStorePasses() async throws {
    let worlds = Mutex<[FileStoreWorld]>([])
    try await ChappieThreadStoreConformance.run {
      let world = FileStoreWorld()
      worlds.withLock { $0.append(world) }
      world.clock.advance(seconds: UnixTime.now - world.clock.now)
      return world.store(retention: .default)
    }
  }

  @Test func aRedactingStoreWithoutRulesPasses() async throws {
    try await ChappieThreadStoreConformance.run {
      ChappieRedactingThreadStore(ChappieInMemoryThreadStore(), redaction: try ChappieThreadRedaction())
    }
  }
}

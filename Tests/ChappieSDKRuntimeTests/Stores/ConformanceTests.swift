// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDKRuntime

/// The conformance suite finds the mistakes of a store.
@Suite
struct ConformanceTests {
  /// A store in memory with mistakes.
  struct Mistaken: ChappieThreadStore {
    enum Mistake: CaseIterable, Sendable {
      case losesTitles, losesTurns, reversesTurns, losesPayloads, listsArchived, ignoresPages, staysArchived,
        deletesNothing
      case countsNothing, acceptsTurnsOfNoThread, createsTwice, renamesToTheSame, ordersByTime
      case removesNoTurn, removesSummaries, removesAnyTurn
    }

    let mistakes: Set<Mistake>
    /// Without sizes it has no retention policy. This is no mistake.
    var countsSizes = true
    let inner = ChappieInMemoryThreadStore()

    func create(_ thread: ChappieThreadSummary) async throws {
      var thread = thread
      if mistakes.contains(.losesTitles) { thread.title = "" }
      do {
        try await inner.create(thread)
      } catch ChappieThreadStoreError.exists where mistakes.contains(.createsTwice) {}
    }

    func append(_ turn: ChappieTurn, to thread: String) async throws {
      var turn = turn
      if mistakes.contains(.losesPayloads) { turn.events.removeAll { if case .payload = $0 { true } else { false } } }
      if mistakes.contains(.losesTurns) { turn.events = [] }
      let wasArchived = try? await inner.thread(thread).summary.isArchived
      do {
        try await inner.append(turn, to: thread)
      } catch ChappieThreadStoreError.noSuchThread where mistakes.contains(.acceptsTurnsOfNoThread) {}
      if mistakes.contains(.staysArchived), wasArchived == true { try await inner.change(thread, .archive) }
    }

    func undoTurn(of thread: String, asking text: String?) async throws {
      if mistakes.contains(.removesNoTurn) { return _ = try await inner.thread(thread) }
      do {
        try await inner.undoTurn(of: thread, asking: mistakes.contains(.removesAnyTurn) ? nil : text)
      } catch ChappieClientError.invalidArgument where mistakes.contains(.removesSummaries) {}
    }

    func thread(_ id: String) async throws -> ChappieThread {
      var thread = try await inner.thread(id)
      if mistakes.contains(.reversesTurns) { thread.turns.reverse() }
      if !countsSizes { thread.summary.bytes = 0 }
      return thread
    }

    func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
      var query = query
      if mistakes.contains(.listsArchived) { query.kind = .all }
      if mistakes.contains(.ignoresPages) { query.after = nil }
      var listed = try await inner.threads(query)
      if mistakes.contains(.ordersByTime) {
        listed.sort { ($0.updatedAtSeconds, $0.id) > ($1.updatedAtSeconds, $1.id) }
      }
      if !countsSizes { for index in listed.indices { listed[index].bytes = 0 } }
      return listed
    }

    func change(_ thread: String, _ change: ChappieThreadChange) async throws {
      if mistakes.contains(.renamesToTheSame), case .rename = change {
        try await inner.change(thread, .rename("between"))
      }
      try await inner.change(thread, change)
    }

    func delete(_ thread: String) async throws {
      if mistakes.contains(.deletesNothing) {
        _ = try await inner.thread(thread)
      } else {
        try await inner.delete(thread)
      }
    }

    func usage() async throws -> ChappieThreadStoreUsage {
      let usage = try await inner.usage()
      if mistakes.contains(.countsNothing) {
        return ChappieThreadStoreUsage(usedBytes: 0, limitBytes: 256 << 20, threadCount: 0, archivedCount: 0)
      }
      guard !countsSizes else { return usage }
      return ChappieThreadStoreUsage(
        usedBytes: 0, limitBytes: nil, threadCount: usage.threadCount, archivedCount: usage.archivedCount)
    }
  }

  @Test(arguments: Mistaken.Mistake.allCases)
  func theSuiteFindsEachMistake(_ mistake: Mistaken.Mistake) async throws {
    let violation = await #expect(throws: ChappieThreadStoreViolation.self) {
      try await ChappieThreadStoreConformance.run { Mistaken(mistakes: [mistake]) }
    }
    #expect(violation?.findings.allSatisfy { $0.hasSuffix(".") } == true)
  }

  @Test func oneRunFindsAllMistakes() async throws {
    let violation = await #expect(throws: ChappieThreadStoreViolation.self) {
      try await ChappieThreadStoreConformance.run {
        Mistaken(mistakes: [.losesTitles, .staysArchived, .createsTwice, .ignoresPages, .countsNothing])
      }
    }
    let findings = try #require(violation?.findings)
    for beginning in [
      "The title of a thread should be ", "The listed title of a thread should be ",
      "A turn should unarchive its thread.", "Creating a thread with an existing id should throw exists.",
      "Pages should end with the last thread.", "The thread count, which includes archived ones, should be 2",
    ] {
      #expect(findings.contains { $0.hasPrefix(beginning) }, "\(beginning)")
    }
    #expect(Set(findings).count == findings.count)
  }

  /// A store of an app may throw anything, and its error does not end the run.
  @Test func aStoreThatThrowsIsAFinding() async throws {
    let violation = await #expect(throws: ChappieThreadStoreViolation.self) {
      try await ChappieThreadStoreConformance.run {
        let store = FaultyStore()
        store.fail(.change, .busy("It is busy."))
        return store
      }
    }
    #expect(violation?.findings.contains { $0.contains("in the check 'renames'") } == true)
    #expect(violation?.findings.contains { $0.contains("in the check 'archives'") } == true)
  }

  @Test func aStoreWithoutPolicyAndSizesPasses() async throws {
    try await ChappieThreadStoreConformance.run { Mistaken(mistakes: [], countsSizes: false) }
  }

  @Test func aRedactingStoreWithoutRulesPasses() async throws {
    try await ChappieThreadStoreConformance.run {
      ChappieRedactingThreadStore(ChappieInMemoryThreadStore(), redaction: try ChappieThreadRedaction())
    }
  }

  // MARK: The store in memory

  private let world = FileStoreWorld()

  @Test func passesTheConformanceSuite() async throws {
    try await ChappieThreadStoreConformance.run { ChappieInMemoryThreadStore() }
  }

  @Test func theLimitDeletesTheOldestAndNeverTheWrittenThread() async throws {
    let start = world.clock.now
    func turn(_ time: Int64, length: Int) -> ChappieTurn {
      ChappieTurn(id: "t", recordedAtSeconds: time, events: [.input(.user(String(repeating: "x", count: length)))])
    }
    let store = world.memoryStore(retention: ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 10_000))
    for (number, id) in ["a", "b", "c"].enumerated() {
      try await store.create(.sample(id, at: start + Int64(number)))
      try await store.append(turn(start + Int64(number), length: 2500), to: id)
    }
    try await store.change("b", .archive)
    try await store.append(turn(start + 9, length: 3000), to: "a")
    // The archived one went first.
    #expect(try await store.threads(ChappieThreadQuery(.all)).map(\.id) == ["a", "c"])
    try await store.append(turn(start + 10, length: 6000), to: "c")
    #expect(try await store.threads(ChappieThreadQuery(.all)).map(\.id) == ["c"])
    #expect(try await store.thread("c").turns.count == 2)
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import Synchronization

/// A store that keeps threads in memory until the process ends: for tests, and for temporary conversations.
public final class ChappieInMemoryThreadStore: ChappieThreadStore {
  private let retention: ChappieThreadStoreRetentionPolicy
  /// Distinguishes this store from others.
  private let name = UniqueID.make()
  private let now: @Sendable () -> Int64
  private let serverTime: @Sendable () -> Timestamp?
  private let clock = Mutex(ClockWitness())
  private let threads = Mutex<[String: ChappieThread]>([:])
  /// The number of the last change; it changes only while `threads` is locked.
  private let changes = Atomic<Int64>(0)

  /// Makes an empty store.
  ///
  /// - Parameter retentionPolicy: the limits of age and size.
  public convenience init(retentionPolicy: ChappieThreadStoreRetentionPolicy = .default) {
    self.init(retentionPolicy: retentionPolicy) { UnixTime.now }
  }

  /// - Parameters:
  ///   - serverTime: returns the time by the clocks of servers; nil if it is unknown.
  ///   - now: returns the time in Unix seconds.
  package init(
    retentionPolicy: ChappieThreadStoreRetentionPolicy,
    serverTime: @escaping @Sendable () -> Timestamp? = { ServerTime.now }, now: @escaping @Sendable () -> Int64
  ) {
    retention = retentionPolicy
    self.serverTime = serverTime
    self.now = now
  }

  public func create(_ thread: ChappieThreadSummary) async throws {
    use(thread.id)
    try threads.withLock { threads in
      guard threads[thread.id] == nil else { throw ChappieThreadStoreError.exists(thread.id) }
      var summary = thread
      summary.turnCount = 0
      summary.bytes = Int64(summary.ownBytes)
      summary.changeNumber = nextChange()
      threads[thread.id] = ChappieThread(summary: summary)
      retain(&threads, writing: thread.id)
    }
  }

  public func append(_ turn: ChappieTurn, to thread: String) async throws {
    let bytes = turn.jsonValue.json.utf8.count
    try change(thread) { thread in
      thread.turns.append(turn)
      thread.summary.apply(.turn(turn, number: nextChange()))
      thread.summary.resize(adding: bytes)
    }
  }

  public func thread(_ id: String) async throws -> ChappieThread {
    use(id)
    return try threads.withLock { threads in
      retain(&threads)
      guard let thread = threads[id] else { throw ChappieThreadStoreError.noSuchThread(id) }
      return thread
    }
  }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? { try await self.thread(thread).summary }

  public func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
    threads.withLock { threads in
      retain(&threads)
      return query.page(of: threads.values.map(\.summary))
    }
  }

  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    let now = now()
    try self.change(thread) { thread in
      guard let update = ThreadUpdate(change, of: thread.summary, at: now, number: nextChange()) else { return }
      let before = thread.summary.ownBytes
      thread.summary.apply(update)
      thread.summary.resize(adding: thread.summary.ownBytes, removing: before)
    }
  }

  private func nextChange() -> Int64 { changes.add(1, ordering: .relaxed).newValue }

  private func change(_ id: String, _ body: (inout ChappieThread) -> Void) throws {
    try threads.withLock { threads in
      guard let index = threads.index(forKey: id) else { throw ChappieThreadStoreError.noSuchThread(id) }
      body(&threads.values[index])
      retain(&threads, writing: id)
    }
  }

  public func delete(_ thread: String) async throws {
    try threads.withLock { threads in
      guard threads.removeValue(forKey: thread) != nil else { throw ChappieThreadStoreError.noSuchThread(thread) }
    }
  }

  public func usage() async throws -> ChappieThreadStoreUsage {
    threads.withLock { threads in
      retain(&threads)
      let summaries = threads.values.map(\.summary)
      return ChappieThreadStoreUsage(
        usedBytes: Int64(summaries.reduce(0 as Count) { $0 + Count(clamping: $1.bytes) }.value),
        limitBytes: retention.maximumTotalBytes,
        threadCount: summaries.count, archivedCount: summaries.count { $0.isArchived })
    }
  }

  /// If a turn makes this access, retention leaves the thread alone until the turn ends.
  private func use(_ id: String) {
    TurnLease.current?.use(ThreadsInUse.Place(store: name, id: id))
  }

  /// Archives and deletes threads as the policy says, on each access. Only a write enforces the cap: a single thread may
  /// be larger than the cap, and reading it must not delete it.
  private func retain(_ threads: inout [String: ChappieThread], writing id: String? = nil) {
    let now = now()
    var policy = retention
    if id == nil { policy.maximumTotalBytes = nil }
    let inUse = ThreadsInUse.ids(in: name).union(id.map { [$0] } ?? [])
    let plan = RetentionPlan(policy, for: threads.values.map(\.summary), now: now, inUse: inUse)
    for id in plan.archived { threads[id]?.summary.archivedAt = now }
    for id in plan.deleted { threads[id] = nil }
    guard !plan.expired.isEmpty else { return }
    let lastWrite = threads.values.lazy.map(\.summary).lastWrite
    if clock.withLock({ $0.believes(Timestamp(clamping: now), after: lastWrite, serverTime: serverTime()) }) {
      for id in plan.expired { threads[id] = nil }
    }
  }
}

extension ChappieThreadSummary {
  /// The size of the thread without its turns.
  fileprivate var ownBytes: Int { id.utf8.count + title.utf8.count }
}

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
  private let state = Mutex(State())

  private struct State {
    var index = ThreadIndex()
    var turns: [String: [ChappieTurn]] = [:]
    var clock = ClockWitness()

    func summary(of id: String) throws -> ChappieThreadSummary {
      guard let summary = index[id]?.summary else { throw ChappieThreadStoreError.noSuchThread(id) }
      return summary
    }

    mutating func set(_ summary: ChappieThreadSummary) {
      index.apply(.set(ThreadIndex.Entry(summary: summary, state: .whole)))
    }

    mutating func remove(_ id: String) {
      index.apply(.removed(id))
      turns[id] = nil
    }
  }

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
    TurnLease.use(thread.id, of: name)
    try state.withLock { state in
      guard state.index[thread.id] == nil else { throw ChappieThreadStoreError.exists(thread.id) }
      var summary = thread
      summary.turnCount = 0
      summary.bytes = Int64(summary.ownBytes)
      summary.changeNumber = state.index.nextChange
      state.set(summary)
      retain(&state, writing: thread.id)
    }
  }

  public func append(_ turn: ChappieTurn, to thread: String) async throws {
    let bytes = turn.jsonValue.json.utf8.count
    try change(thread) { state, summary in
      state.turns[thread, default: []].append(turn)
      summary.add(turn, number: state.index.nextChange)
      summary.resize(adding: bytes)
    }
  }

  public func undoTurn(of thread: String, asking text: String?) async throws {
    let now = now()
    try change(thread) { state, summary in
      guard let last = state.turns[thread]?.last else { throw ChappieClientError.noTurn }
      try last.checkRemoval(asking: text)
      state.turns[thread]?.removeLast()
      summary.removeTurn(at: now, number: state.index.nextChange)
      summary.resize(adding: 0, removing: last.jsonValue.json.utf8.count)
    }
  }

  public func thread(_ id: String) async throws -> ChappieThread {
    TurnLease.use(id, of: name)
    return try state.withLock { state in
      retain(&state)
      return ChappieThread(summary: try state.summary(of: id), turns: state.turns[id] ?? [])
    }
  }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? { try await self.thread(thread).summary }

  public func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
    state.withLock { state in
      retain(&state)
      return state.index.page(query)
    }
  }

  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    let now = now()
    try self.change(thread) { state, summary in
      let before = summary.ownBytes
      summary.apply(change, at: now, number: state.index.nextChange)
      summary.resize(adding: summary.ownBytes, removing: before)
    }
  }

  private func change(_ id: String, _ body: (inout State, inout ChappieThreadSummary) throws -> Void) throws {
    try state.withLock { state in
      var summary = try state.summary(of: id)
      try body(&state, &summary)
      state.set(summary)
      retain(&state, writing: id)
    }
  }

  public func delete(_ thread: String) async throws {
    try state.withLock { state in
      _ = try state.summary(of: thread)
      state.remove(thread)
    }
  }

  public func usage() async throws -> ChappieThreadStoreUsage {
    state.withLock { state in
      retain(&state)
      return state.index.usage(limit: retention.maximumTotalBytes)
    }
  }

  /// Archives and deletes threads as the policy says, on each access. Only a write enforces the cap: a single thread may
  /// be larger than the cap, and reading it must not delete it.
  private func retain(_ state: inout State, writing id: String? = nil) {
    let now = now()
    var policy = retention
    if id == nil { policy.maximumTotalBytes = nil }
    var plan = RetentionPlan(
      policy, for: state.index.summaries, now: now, inUse: TurnLease.threads(of: name, and: id))
    if !plan.expired.isEmpty,
      state.clock.believes(
        Timestamp(clamping: now), after: state.index.summaries.lastWrite, serverTime: serverTime())
    {
      plan.deleted += plan.expired
    }
    for id in plan.archived {
      guard var summary = state.index[id]?.summary else { continue }
      summary.archivedAtSeconds = now
      state.set(summary)
    }
    for id in plan.deleted { state.remove(id) }
  }
}

extension ChappieThreadSummary {
  /// The size of the thread without its turns.
  fileprivate var ownBytes: Int { id.utf8.count + title.utf8.count }
}

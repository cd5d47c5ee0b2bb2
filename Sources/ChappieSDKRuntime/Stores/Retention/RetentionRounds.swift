import GLibBridge
import Synchronization

/// When a store follows its policy: after a write when something is due, and day by day.
final class RetentionRounds: Sendable {
  typealias Observer = @Sendable (_ archived: [String], _ deleted: [String]) -> Void

  private struct State {
    var observers: [Observer] = []
    /// Unix seconds; nil while it is not known.
    var nextDue: Int64?
    var task: Task<Void, any Error>?
    /// Whether it was told that what cannot be read fills the cap.
    var hasToldOfNoRoom = false
  }

  private let policy: ChappieThreadStoreRetentionPolicy
  private let interval: Duration?
  private let state = Mutex(State())

  /// - Parameter interval: nil when nothing is done without a write.
  init(_ policy: ChappieThreadStoreRetentionPolicy, every interval: Duration?) {
    self.policy = policy
    self.interval = interval
  }

  deinit {
    state.withLock { $0.task?.cancel() }
  }

  // MARK: What is due

  /// A thread was written to.
  func note(_ summary: ChappieThreadSummary?) {
    guard let due = summary.flatMap(policy.due) else { return }
    state.withLock { state in
      if let next = state.nextDue { state.nextDue = min(next, due) }
    }
  }

  /// What is to be done now; nil for nothing. It costs nothing until something can be due.
  func plan(_ index: ThreadIndex, now: Int64, inUse: Set<String>) -> RetentionPlan? {
    if state.withLock({ $0.nextDue == nil }) { schedule(index, now: now) }
    let room = policy.room(beside: index.unreadableBytes)
    if room == nil, policy.maximumTotalBytes != nil { tellOfNoRoom() }
    let isOverCap = room.map { index.totalBytes - index.unreadableBytes > $0 } ?? false
    guard isOverCap || state.withLock({ $0.nextDue.map { $0 <= now } ?? true }) else { return nil }
    let plan = RetentionPlan(
      policy, for: index.summaries, otherBytes: index.unreadableBytes, now: now, inUse: inUse)
    if !plan.isEmpty { return plan }
    schedule(index, now: now)
    return nil
  }

  /// What was due was done.
  func schedule(_ index: ThreadIndex, now: Int64) {
    var next = Int64.max
    // What cannot be read has no time, and nothing is done to it.
    for entry in index.entries where entry.isReadable {
      if let due = policy.due(entry.summary) { next = min(next, due) }
    }
    // What other processes write is due no sooner than this.
    let delays = [policy.archiveInactiveAfter, policy.deleteArchivedAfter].compactMap { $0 }
    let soonest = delays.min().flatMap { Int64(exactly: (Double(now) + $0).rounded(.up)) } ?? .max
    state.withLock { $0.nextDue = min(next, soonest) }
  }

  // MARK: What was done

  func observe(_ observer: @escaping Observer) {
    state.withLock { $0.observers.append(observer) }
  }

  func report(_ done: RetentionPlan) {
    guard !done.isEmpty else { return }
    Log.notice(
      "Stored threads, as the retention policy says: archived \(done.archived.count), deleted \(done.deleted.count).")
    for observer in state.withLock({ $0.observers }) { observer(done.archived, done.deleted) }
  }

  private func tellOfNoRoom() {
    let isNew = state.withLock { state in
      defer { state.hasToldOfNoRoom = true }
      return !state.hasToldOfNoRoom
    }
    guard isNew else { return }
    Log.warning("Stored threads that cannot be read here fill the limit: nothing is deleted to keep to it.")
  }

  // MARK: Day by day

  /// Calls `round` from time to time until this value is gone; the first call of this method counts.
  ///
  /// - Parameter round: says whether it could be done. Where the keyring was locked, it is tried again sooner.
  func start(_ round: @escaping @Sendable () async -> Bool) {
    guard let interval else { return }
    state.withLock { state in
      guard state.task == nil else { return }
      state.task = Task.onGLib {
        var isDone = true
        while true {
          try await sleep(for: isDone ? interval : interval / 24)
          isDone = await round()
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import Synchronization

/// Decides when a store enforces its retention policy: after a write if something is due, and once a day.
final class RetentionScheduler: Sendable {
  typealias Observer = @Sendable (_ archived: [String], _ deleted: [String]) -> Void

  private struct State {
    var observers: [Observer] = []
    /// The next time something is due, in Unix seconds; nil if it is unknown.
    var nextDue: Int64?
    var task: Task<Void, any Error>?
    /// Whether the log says that unreadable threads fill the limit.
    var hasWarned = false
  }

  private let policy: ChappieThreadStoreRetentionPolicy
  private let interval: Duration?
  private let state = Mutex(State())

  /// - Parameter interval: the time between two rounds; nil for none without a write.
  init(_ policy: ChappieThreadStoreRetentionPolicy, every interval: Duration?) {
    self.policy = policy
    self.interval = interval
  }

  deinit {
    state.withLock { $0.task?.cancel() }
  }

  // MARK: Planning

  /// Notes that a thread was written.
  func note(_ summary: ChappieThreadSummary?) {
    guard let due = summary.flatMap(policy.due) else { return }
    state.withLock { state in
      if let next = state.nextDue { state.nextDue = min(next, due) }
    }
  }

  /// The plan for now; nil if there is nothing to do. Until something can be due, this takes no time.
  func plan(_ index: ThreadIndex, now: Int64, inUse: Set<String>) -> RetentionPlan? {
    if state.withLock({ $0.nextDue == nil }) { update(index, now: now) }
    let room = policy.room(beside: index.unreadableBytes)
    if room == nil, policy.maximumTotalBytes != nil { warnOnce() }
    let isOverCap = room.map { index.totalBytes > $0 + index.unreadableBytes } ?? false
    guard isOverCap || state.withLock({ $0.nextDue.map { $0 <= now } ?? true }) else { return nil }
    let plan = RetentionPlan(
      policy, for: index.summaries, otherBytes: index.unreadableBytes, now: now, inUse: inUse)
    if !plan.isEmpty { return plan }
    update(index, now: now)
    return nil
  }

  /// The time between two checks of the clock, in seconds.
  private static let clockCheck: Int64 = 3600

  /// Computes when something is due next, after a plan was carried out.
  ///
  /// - Parameter waits: whether something that is due waits for the clock.
  func update(_ index: ThreadIndex, now: Int64, waits: Bool = false) {
    let check = (Timestamp(clamping: now) + Self.clockCheck).unixSeconds
    var next = Int64.max
    // Retention ignores unreadable threads.
    for entry in index.entries where entry.isReadable {
      if let due = policy.due(entry.summary) { next = min(next, waits ? max(due, check) : due) }
    }
    // A thread that another process writes from now on is due no sooner than this.
    let delays = [policy.archiveInactiveAfter, policy.deleteArchivedAfter].compactMap { $0 }
    let soonest = delays.min().flatMap { Int64(exactly: (Double(now) + $0).rounded(.up)) } ?? .max
    state.withLock { $0.nextDue = min(next, soonest) }
  }

  // MARK: Reporting

  /// Adds an observer.
  func observe(_ observer: @escaping Observer) {
    state.withLock { $0.observers.append(observer) }
  }

  /// Logs the numbers of a plan that was carried out, and calls the observers.
  func report(_ done: RetentionPlan) {
    if !done.expired.isEmpty {
      Log.info(
        "Stored threads that wait to be deleted by age, until the clock was plausible for a day: \(done.expired.count)."
      )
    }
    guard !(done.archived.isEmpty && done.deleted.isEmpty) else { return }
    Log.notice(
      "Stored threads, as the retention policy says: archived \(done.archived.count), deleted \(done.deleted.count).")
    for observer in state.withLock({ $0.observers }) { observer(done.archived, done.deleted) }
  }

  private func warnOnce() {
    let isNew = state.withLock { state in
      defer { state.hasWarned = true }
      return !state.hasWarned
    }
    guard isNew else { return }
    Log.warning("Threads that cannot be read on this device fill the limit, so retention deletes no thread for it.")
  }

  // MARK: Daily rounds

  /// Calls `round` at each interval until this value is released. Only the first call of this method has an effect.
  ///
  /// - Parameter round: returns whether it succeeded. After a failure, as with a locked keyring, it is called again after
  ///   a 24th of the interval.
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

/// The threads of this process with a running turn. Retention leaves them alone.
enum ThreadsInUse {
  struct Place: Hashable, Sendable {
    /// A name for the store. Two objects for one directory have the same name.
    let store: String
    let id: String
  }

  /// The number of running turns of each thread.
  private static let turns = Mutex<[Place: Int]>([:])

  /// Notes that a turn has begun.
  static func enter(_ place: Place) {
    turns.withLock { $0[place, default: 0] += 1 }
  }

  /// Notes that a turn has ended.
  static func leave(_ place: Place) {
    turns.withLock { turns in
      let rest = turns[place, default: 1] - 1
      turns[place] = rest == 0 ? nil : rest
    }
  }

  /// The ids of the threads of a store.
  static func ids(in store: String) -> Set<String> {
    turns.withLock { Set($0.keys.filter { $0.store == store }.map(\.id)) }
  }
}

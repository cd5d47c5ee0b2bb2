// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import Synchronization

/// Decides when a store enforces its retention policy: after a write if something is due, and once a day.
final class RetentionScheduler: Sendable {
  private struct State {
    /// The next check of the clock that deletions by age wait for, in Unix seconds; nil if none waits.
    var clockCheck: Int64?
    var task: Task<Void, any Error>?
  }

  private let policy: ChappieThreadStoreRetentionPolicy
  private let interval: Duration?
  private let state = Mutex(State())
  /// Whether the log says that unreadable threads fill the limit.
  private let hasWarned = Atomic(false)

  /// - Parameter interval: the time between two rounds; nil for none without a write.
  init(_ policy: ChappieThreadStoreRetentionPolicy, every interval: Duration?) {
    self.policy = policy
    self.interval = interval
  }

  deinit {
    state.withLock { $0.task?.cancel() }
  }

  // MARK: Planning

  /// The plan for now; nil if there is nothing to do.
  func plan(_ index: ThreadIndex, now: Int64, inUse: Set<String>) -> RetentionPlan? {
    let others = index.unreadableBytes
    let room = policy.room(beside: others)
    if policy.maximumTotalBytes != nil, room == nil, !hasWarned.exchange(true, ordering: .relaxed) {
      Log.warning("Threads that cannot be read on this device fill the limit, so retention deletes no thread for it.")
    }
    // Deletions by age alone wait for the next check of the clock.
    let waits = state.withLock { $0.clockCheck.map { now < $0 } ?? false }
    // Mostly nothing is due, and then no summary is copied.
    let isFull = room.map { index.totalBytes > $0 + others } ?? false
    guard
      isFull
        || index.entries.contains(where: { entry in
          entry.isReadable && !(waits && entry.summary.isArchived)
            && policy.due(entry.summary).map { $0 <= now } ?? false
        })
    else { return nil }
    let plan = RetentionPlan(policy, for: index.summaries, otherBytes: others, now: now, inUse: inUse)
    return plan.archived.isEmpty && plan.deleted.isEmpty && (waits || plan.expired.isEmpty) ? nil : plan
  }

  /// The time between two checks of the clock, in seconds.
  private static let clockInterval: Int64 = 3600

  // MARK: Reporting

  /// Logs the numbers of a plan that was carried out.
  func report(_ done: RetentionPlan, now: Int64) {
    let check = (Timestamp(clamping: now) + Self.clockInterval).unixSeconds
    state.withLock { $0.clockCheck = done.expired.isEmpty ? nil : check }
    if !done.expired.isEmpty {
      Log.info(
        "Stored threads that wait to be deleted by age, until the clock was plausible for a day: \(done.expired.count)."
      )
    }
    guard !(done.archived.isEmpty && done.deleted.isEmpty) else { return }
    Log.notice(
      "Stored threads, as the retention policy says: archived \(done.archived.count), deleted \(done.deleted.count).")
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

/// The reasons to believe this machine's clock. A clock that is ahead would delete threads that are not due, so deleting
/// by age waits until the clock has been plausible for a day.
struct ClockWitness: Equatable, Sendable {
  /// In seconds: the distance from the servers' clocks that is plausible, and the time of waiting.
  private static let day: Int64 = 86_400

  /// The latest time that a server has told.
  var serverTime: Timestamp?
  /// The first of the latest checks that found the clock plausible. Nil if the last one did not.
  var plausibleSince: Timestamp?

  /// Checks the clock.
  ///
  /// - Parameters:
  ///   - now: the clock.
  ///   - lastWrite: the time of the last change of a thread.
  ///   - told: the time by the servers' clocks; nil if this process has asked none.
  /// - Returns: whether threads may be deleted for their age now.
  mutating func believes(_ now: Timestamp, after lastWrite: Timestamp, serverTime told: Timestamp?) -> Bool {
    serverTime = told ?? serverTime
    guard let serverTime, lastWrite <= now, now <= serverTime + Self.day else {
      // What an earlier process was told says nothing against a clock that has gone on since.
      if told != nil || lastWrite > now { plausibleSince = nil }
      return false
    }
    let since = min(plausibleSince ?? now, now)
    plausibleSince = since
    return now.seconds(since: since) >= Self.day
  }
}

extension Sequence<ChappieThreadSummary> {
  /// The time of the last change of a thread.
  var lastWrite: Timestamp {
    reduce(.distantPast) { last, thread in
      [last, Timestamp(clamping: thread.updatedAtSeconds), Timestamp(clamping: thread.archivedAtSeconds ?? 0)].max()
        ?? last
    }
  }
}

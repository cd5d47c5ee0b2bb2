// SPDX-License-Identifier: Apache-2.0
import Platform

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
      [last, Timestamp(clamping: thread.updatedAt), Timestamp(clamping: thread.archivedAt ?? 0)].max() ?? last
    }
  }
}

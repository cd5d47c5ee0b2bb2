// SPDX-License-Identifier: Apache-2.0
import Platform

/// The threads that a retention policy archives and deletes now.
struct RetentionPlan: Equatable, Sendable {
  /// The ids of active threads to archive.
  var archived: [String] = []
  /// The ids of threads to delete, to keep the limit.
  var deleted: [String] = []
  /// The ids of archived threads to delete for their age, if the clock is to be believed.
  var expired: [String] = []
}

extension RetentionPlan {
  /// Plans what `policy` requires now.
  ///
  /// - Parameters:
  ///   - summaries: all threads.
  ///   - otherBytes: the size of unreadable threads, which count for the limit and cannot be deleted.
  ///   - now: Unix seconds.
  ///   - inUse: the ids of threads that are in use; the plan leaves them alone.
  init(
    _ policy: ChappieThreadStoreRetentionPolicy, for summaries: [ChappieThreadSummary], otherBytes: Count = 0,
    now: Int64, inUse: Set<String> = []
  ) {
    let free = summaries.lazy.filter { !inUse.contains($0.id) }
    for summary in free where policy.due(summary).map({ $0 <= now }) ?? false {
      if summary.isArchived { expired.append(summary.id) } else { archived.append(summary.id) }
    }
    var total = summaries.reduce(0 as Count) { $0 + Count(clamping: $1.bytes) }
    guard let room = policy.room(beside: otherBytes), total > room else { return }
    let new = Set(archived)
    let candidates = free.map { summary in
      var summary = summary
      if new.contains(summary.id) { summary.archivedAtSeconds = now }
      return summary
    }
    for summary in candidates.sorted(by: Self.goesBefore) {
      guard total > room else { break }
      deleted.append(summary.id)
      total = total - Count(clamping: summary.bytes)
    }
    let gone = Set(deleted)
    archived.removeAll { gone.contains($0) }
    expired.removeAll { gone.contains($0) }
  }

  /// The order of deletion: archived threads, the oldest first; then active threads, the longest unused first.
  private static func goesBefore(_ left: ChappieThreadSummary, _ right: ChappieThreadSummary) -> Bool {
    switch (left.archivedAtSeconds, right.archivedAtSeconds) {
    case (let left?, let right?) where left != right: left < right
    case (_?, nil): true
    case (nil, _?): false
    default:
      (left.updatedAtSeconds, left.changeNumber, left.id) < (right.updatedAtSeconds, right.changeNumber, right.id)
    }
  }
}

extension ChappieThreadStoreRetentionPolicy {
  /// The time to archive an active thread, or to delete an archived one, in Unix seconds; nil for never.
  func due(_ summary: ChappieThreadSummary) -> Int64? {
    guard let archivedAtSeconds = summary.archivedAtSeconds else {
      return Self.time(summary.updatedAtSeconds, archiveInactiveAfter)
    }
    return Self.time(archivedAtSeconds, deleteArchivedAfter)
  }

  /// The most that the readable threads may take, in bytes; nil for no limit. If the unreadable threads alone fill the
  /// limit there is none, because deleting the readable ones would not make enough room.
  func room(beside otherBytes: Count) -> Count? {
    guard let cap = maximumTotalBytes.map({ Count(clamping: $0) }), otherBytes == 0 || otherBytes < cap else {
      return nil
    }
    return cap - otherBytes
  }

  private static func time(_ start: Int64, _ delay: Double?) -> Int64? {
    delay.flatMap { Int64(exactly: (Double(start) + $0).rounded(.up)) }
  }
}

/// The limits of age and size of a store. The store enforces them on each write and once a day.
public struct ChappieThreadStoreRetentionPolicy: Sendable, Hashable {
  /// The most that all threads may take, in bytes; nil for no limit. Above it the store deletes threads: first the oldest
  /// archived ones, then the oldest active ones. It never deletes a thread that is being written or has a running turn.
  public var maximumTotalBytes: Int64?
  /// The store archives a thread after this many seconds without a change; nil for never.
  public var archiveInactiveAfter: Double?
  /// The store deletes an archived thread after this many seconds; nil for never.
  public var deleteArchivedAfter: Double?

  /// Makes a policy. By default it allows 256 MiB, archives after 30 days and deletes 60 days later.
  ///
  /// A negative number counts as 0, and so does NaN.
  public init(
    maximumTotalBytes: Int64? = 256 << 20, archiveInactiveAfter: Double? = 30 * 86_400,
    deleteArchivedAfter: Double? = 60 * 86_400
  ) {
    self.maximumTotalBytes = maximumTotalBytes.map { max(0, $0) }
    self.archiveInactiveAfter = archiveInactiveAfter.map(Self.clamped)
    self.deleteArchivedAfter = deleteArchivedAfter.map(Self.clamped)
  }

  /// 256 MiB, archiving after 30 days, deletion 60 days later.
  public static let `default` = ChappieThreadStoreRetentionPolicy()

  /// No limits: the store deletes nothing by itself.
  public static let unlimited = ChappieThreadStoreRetentionPolicy(
    maximumTotalBytes: nil, archiveInactiveAfter: nil, deleteArchivedAfter: nil)

  private static func clamped(_ seconds: Double) -> Double {
    seconds.isNaN ? 0 : max(0, seconds)
  }
}

/// What a policy asks for now.
struct RetentionPlan: Equatable, Sendable {
  /// Ids of active threads that are put away.
  var archived: [String] = []
  /// Ids of threads that are deleted.
  var deleted: [String] = []

  var isEmpty: Bool { archived.isEmpty && deleted.isEmpty }
}

extension RetentionPlan {
  /// - Parameters:
  ///   - summaries: all threads.
  ///   - otherBytes: what else counts for the cap and cannot be deleted.
  ///   - now: Unix seconds.
  ///   - inUse: the threads that are written to; they are left as they are.
  init(
    _ policy: ChappieThreadStoreRetentionPolicy, for summaries: [ChappieThreadSummary], otherBytes: Int64 = 0,
    now: Int64, inUse: Set<String> = []
  ) {
    var total = summaries.reduce(0) { $0 + $1.bytes }
    var rest: [ChappieThreadSummary] = []
    for summary in summaries where !inUse.contains(summary.id) {
      guard let due = policy.due(summary), due <= now else {
        rest.append(summary)
        continue
      }
      if summary.isArchived {
        deleted.append(summary.id)
        total -= summary.bytes
      } else {
        var summary = summary
        summary.archivedAt = now
        archived.append(summary.id)
        rest.append(summary)
      }
    }
    guard let room = policy.room(beside: otherBytes), total > room else { return }
    for summary in rest.sorted(by: Self.goesBefore) {
      guard total > room else { break }
      deleted.append(summary.id)
      total -= summary.bytes
    }
    let gone = Set(deleted)
    archived.removeAll { gone.contains($0) }
  }

  /// Archived threads first, and the oldest of them; then those that were not used for longest.
  private static func goesBefore(_ left: ChappieThreadSummary, _ right: ChappieThreadSummary) -> Bool {
    switch (left.archivedAt, right.archivedAt) {
    case (let left?, let right?) where left != right: left < right
    case (_?, nil): true
    case (nil, _?): false
    default: (left.updatedAt, left.changeNumber, left.id) < (right.updatedAt, right.changeNumber, right.id)
    }
  }
}

extension ChappieThreadStoreRetentionPolicy {
  /// When the thread is to be archived, or deleted when it is: Unix seconds; nil for never.
  func due(_ summary: ChappieThreadSummary) -> Int64? {
    guard let archivedAt = summary.archivedAt else { return Self.time(summary.updatedAt, archiveInactiveAfter) }
    return Self.time(archivedAt, deleteArchivedAfter)
  }

  /// What the threads that can be deleted may take, in bytes; nil for as much as they do. Where what cannot be deleted
  /// fills the cap alone, deleting the rest would not make the room that is missing.
  func room(beside otherBytes: Int64) -> Int64? {
    guard let cap = maximumTotalBytes, otherBytes == 0 || otherBytes < cap else { return nil }
    return cap - otherBytes
  }

  private static func time(_ start: Int64, _ delay: Double?) -> Int64? {
    delay.flatMap { Int64(exactly: (Double(start) + $0).rounded(.up)) }
  }
}

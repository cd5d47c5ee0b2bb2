extension ChappieThreadQuery {
  /// The page of `all` that this query asks for: a helper for stores that have all summaries in memory.
  public func page(of all: [ChappieThreadSummary]) -> [ChappieThreadSummary] {
    var listed = all.filter { kind.lists($0) }
    if let after { listed.removeAll { !after.isListed(before: $0) } }
    listed.sort { $0.isListed(before: $1) }
    return limit.map { Array(listed.prefix(max(1, $0))) } ?? listed
  }
}

extension ChappieThreadQuery.Kind {
  func lists(_ thread: ChappieThreadSummary) -> Bool {
    switch self {
    case .active: !thread.isArchived
    case .archived: thread.isArchived
    case .all: true
    }
  }
}

extension ChappieThreadSummary {
  /// Whether this thread is newer. The change number decides, because a clock can be set back. Threads of an older
  /// version have no number, so their times decide.
  func isListed(before other: ChappieThreadSummary) -> Bool {
    guard changeNumber == other.changeNumber else { return changeNumber > other.changeNumber }
    return (updatedAt, updatedAtMicroseconds, createdAt, createdAtMicroseconds, id)
      > (other.updatedAt, other.updatedAtMicroseconds, other.createdAt, other.createdAtMicroseconds, other.id)
  }
}

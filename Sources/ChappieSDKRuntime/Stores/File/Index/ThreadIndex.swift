/// What is known of the threads of a store without reading them.
struct ThreadIndex: Sendable {
  struct Entry: Sendable, Hashable {
    var summary: ChappieThreadSummary
    /// The number of the record that comes next in its log.
    var nextNumber: UInt64
    /// Whether its log says anything to this store: not when it is another version's or another device's.
    var isReadable: Bool
  }

  /// What an entry became.
  enum Change: Sendable, Hashable {
    case set(Entry)
    case removed(String)
  }

  private(set) var entries: [String: Entry] = [:]
  private(set) var totalBytes: Int64 = 0

  subscript(id: String) -> Entry? { entries[id] }

  /// What its log takes.
  func bytes(of id: String) -> Int64? {
    entries.index(forKey: id).map { entries.values[$0].summary.bytes }
  }

  mutating func apply(_ changes: [Change]) {
    entries.reserveCapacity(max(entries.count, changes.count))
    for change in changes { apply(change) }
  }

  private mutating func apply(_ change: Change) {
    switch change {
    case .set(let entry):
      let before = entries.updateValue(entry, forKey: entry.summary.id)
      totalBytes += entry.summary.bytes - (before?.summary.bytes ?? 0)
    case .removed(let id):
      totalBytes -= entries.removeValue(forKey: id)?.summary.bytes ?? 0
    }
  }

  /// The threads that can be read.
  var summaries: [ChappieThreadSummary] {
    entries.values.compactMap { $0.isReadable ? $0.summary : nil }
  }

  /// What cannot be read counts, and is never deleted by itself.
  var unreadableBytes: Int64 {
    entries.values.reduce(0) { $0 + ($1.isReadable ? 0 : $1.summary.bytes) }
  }
}

extension ThreadIndex {
  /// One page, newest first.
  ///
  /// - Throws: ``ChappieThreadStoreError/noSuchThread(_:)`` for the thread that the page is to come behind.
  func page(_ query: ChappieThreadQuery) throws -> [ChappieThreadSummary] {
    // Sorting numbers costs a tenth of what sorting the summaries does.
    var order: [(time: Int64, place: Dictionary<String, Entry>.Index)] = []
    order.reserveCapacity(entries.count)
    for place in entries.indices where entries.values[place].isListed(query.kind) {
      order.append((entries.values[place].summary.updatedAt, place))
    }
    var sorted = order.sorted { left, right in
      left.time == right.time
        ? entries.values[left.place].summary.isListed(before: entries.values[right.place].summary)
        : left.time > right.time
    }[...]
    if let after = query.after {
      guard let last = entries[after]?.summary else { throw ChappieThreadStoreError.noSuchThread(after) }
      sorted = sorted.drop { next in !last.isListed(before: entries.values[next.place].summary) }
    }
    return sorted.prefix(max(1, query.limit ?? .max)).map { entries.values[$0.place].summary }
  }

  func usage(limit: Int64?) -> ChappieThreadStoreUsage {
    let readable = entries.values.filter(\.isReadable)
    return ChappieThreadStoreUsage(
      usedBytes: totalBytes, limitBytes: limit, threadCount: readable.count,
      archivedCount: readable.count { $0.summary.isArchived })
  }
}

extension ThreadIndex.Entry {
  func isListed(_ kind: ChappieThreadQuery.Kind) -> Bool {
    isReadable && kind.lists(summary)
  }
}

/// The records of the index, in binary: 10,000 summaries are read in a few milliseconds. FORMAT.md has the fields.
enum IndexCoding {
  /// 1 was a thread whose changes were not counted, 3 one with whole seconds. An index with such ones is made anew.
  private static let setTag: UInt8 = 4
  private static let removedTag: UInt8 = 2
  /// What a thread with an ordinary title takes, in bytes: to make room in time.
  static let usualLength = 120

  static func encode(_ changes: some Collection<ThreadIndex.Change>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(changes.count * usualLength)
    for change in changes {
      switch change {
      case .set(let entry):
        bytes.append(setTag)
        append(entry, to: &bytes)
      case .removed(let id):
        bytes.append(removedTag)
        bytes.append(text: id)
      }
    }
    return bytes
  }

  private static func append(_ entry: ThreadIndex.Entry, to bytes: inout [UInt8]) {
    let summary = entry.summary
    bytes.append(text: summary.id)
    bytes.append(text: summary.title)
    bytes.append(littleEndian: summary.createdAt)
    bytes.append(littleEndian: summary.updatedAt)
    bytes.append((summary.isArchived ? 1 : 0) | (entry.isReadable ? 2 : 0))
    bytes.append(littleEndian: summary.archivedAt ?? 0)
    bytes.append(littleEndian: Int64(summary.turnCount))
    bytes.append(littleEndian: summary.bytes)
    bytes.append(littleEndian: entry.nextNumber)
    bytes.append(littleEndian: summary.changeNumber)
    bytes.append(littleEndian: summary.createdAtMicroseconds)
    bytes.append(littleEndian: summary.updatedAtMicroseconds)
  }

  /// Gives the changes one by one: all of them together would take as much memory again.
  ///
  /// - Returns: false when something else comes behind those that were given.
  static func decode(_ bytes: [UInt8], _ take: (ThreadIndex.Change) -> Void) -> Bool {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      switch reader.integer(UInt8.self) {
      case setTag:
        guard let entry = entry(&reader) else { return false }
        take(.set(entry))
      case removedTag:
        guard let id = reader.text() else { return false }
        take(.removed(id))
      default: return false
      }
    }
    return true
  }

  private static func entry(_ reader: inout ByteReader) -> ThreadIndex.Entry? {
    guard let id = reader.text(), let title = reader.text(), let createdAt = reader.integer(Int64.self),
      let updatedAt = reader.integer(Int64.self), let flags = reader.integer(UInt8.self),
      let archivedAt = reader.integer(Int64.self), let turnCount = reader.integer(Int64.self),
      let bytes = reader.integer(Int64.self), let nextNumber = reader.integer(UInt64.self),
      let changeNumber = reader.integer(Int64.self), let createdAtMicroseconds = reader.integer(Int32.self),
      let updatedAtMicroseconds = reader.integer(Int32.self)
    else { return nil }
    let summary = ChappieThreadSummary(
      id: id, title: title, createdAt: createdAt, updatedAt: updatedAt, archivedAt: flags & 1 == 0 ? nil : archivedAt,
      turnCount: Int(clamping: turnCount), bytes: bytes, changeNumber: changeNumber,
      createdAtMicroseconds: createdAtMicroseconds, updatedAtMicroseconds: updatedAtMicroseconds)
    return ThreadIndex.Entry(summary: summary, nextNumber: nextNumber, isReadable: flags & 2 != 0)
  }
}

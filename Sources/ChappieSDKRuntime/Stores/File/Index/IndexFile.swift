import GLibBridge
import SecretMemory

/// The file of the index: a record with all entries, and behind it one for each change.
///
/// It is a copy of what the logs say. Nothing depends on it: what of it is missing or wrong is read from the logs.
struct IndexFile: Sendable {
  private static let name = "index"
  private static let newName = "index.new"
  /// All that it may have.
  static let names = [name, newName]
  /// Changes may take this much more than the entries before they are put together, in bytes.
  private static let slack: Int64 = 64 << 10
  /// What is larger is no index: half a million threads take less.
  private static let limit: Int64 = 64 << 20

  /// Held open, so that another file is not taken for it.
  private let file: StorageFile
  private var end: Int64
  private var nextNumber: UInt64
  /// Where the first record ends, the one with all entries.
  private var entriesEnd: Int64

  /// The file as it is, and what it says, which may be too little and too old. Nil where there is none that can be used.
  static func read(in directory: StorageDirectory, _ log: SealedLog) -> (IndexFile, ThreadIndex)? {
    guard let file = try? directory.file(name, for: .reading), let bytes = try? file.content(limit: limit),
      case .header(let length) = log.header.read(bytes)
    else { return nil }
    var read = IndexFile(file: file, end: Int64(length), nextNumber: 0, entriesEnd: Int64(length))
    var index = ThreadIndex()
    guard read.take(bytes, from: length, into: &index, log) else { return nil }
    return (read, index)
  }

  /// Takes what another process has written since.
  ///
  /// - Returns: whether this is still the file of the index, and whole.
  mutating func catchUp(_ index: inout ThreadIndex, in directory: StorageDirectory, _ log: SealedLog) -> Bool {
    guard let now = try? directory.file(Self.name, for: .reading), now.identity == file.identity,
      let size = try? now.size(), size >= end
    else { return false }
    guard size > end else { return true }
    guard let bytes = try? now.content(from: end, limit: Self.limit) else { return false }
    return take(bytes, from: 0, into: &index, log)
  }

  /// Takes the records of `bytes` from `start` on, which is at the end of what was taken before.
  private mutating func take(_ bytes: [UInt8], from start: Int, into index: inout ThreadIndex, _ log: SealedLog) -> Bool
  {
    let scan = LogScan(bytes, from: start) { frame, body in log.open(body, number: frame.number) }
    for piece in scan.pieces {
      guard case .record(let frame, let place, let content?) = piece, frame.number == nextNumber else { return false }
      if nextNumber == 0 { index.reserve(content.count / IndexCoding.usualLength) }
      guard IndexCoding.decode(content, { index.apply($0) }) else { return false }
      nextNumber += 1
      if nextNumber == 1 { entriesEnd = end + Int64(place - start + LogFrame.length) + Int64(frame.bodyLength) }
    }
    end += Int64(scan.end - start)
    return true
  }

  /// Adds changes. Nothing waits for the disk: what a crash takes is read from the logs.
  ///
  /// - Returns: false when the changes have become more than the entries, and the file is to be written anew.
  /// - Throws: `StorageError`, ``ChappieThreadStoreError``.
  mutating func append(_ changes: [ThreadIndex.Change], in directory: StorageDirectory, _ log: SealedLog) throws -> Bool
  {
    let record = try log.record(IndexCoding.encode(changes), number: nextNumber)
    guard end + Int64(record.count) <= 2 * entriesEnd + Self.slack else { return false }
    let file = try directory.file(Self.name, for: .writing)
    guard file.identity == self.file.identity else { return false }
    try file.write(record, at: end, durably: false)
    end += Int64(record.count)
    nextNumber += 1
    return true
  }

  /// Writes a file with all entries in place of the one that is there.
  ///
  /// - Throws: `StorageError`, ``ChappieThreadStoreError``.
  static func write(_ index: ThreadIndex, in directory: StorageDirectory, _ log: SealedLog) throws -> IndexFile {
    let header = log.header.line
    let content = header + (try log.record(IndexCoding.encode(index.entries.map { .set($0) }), number: 0))
    let file = try directory.file(newName, for: .replacing)
    do {
      try file.write(content, at: 0, durably: true)
      try directory.rename(newName, to: name)
    } catch {
      try? directory.remove(newName)
      throw error
    }
    let end = Int64(content.count)
    return IndexFile(file: file, end: end, nextNumber: 1, entriesEnd: end)
  }
}

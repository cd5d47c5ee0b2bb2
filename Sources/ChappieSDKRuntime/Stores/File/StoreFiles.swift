import GLibBridge

/// The files of a store, and what is known of them. Its methods block; those that write want the store's lock.
struct StoreFiles: Sendable {
  static let threadSuffix = ".thread"
  private static let newName = "thread.new"
  private static let lockName = "lock"

  let directory: StorageDirectory
  /// The most that all threads may take, in bytes.
  let cap: Int64?

  private(set) var index = ThreadIndex()
  private var indexFile: IndexFile?

  init(_ directory: StorageDirectory, cap: Int64?) {
    self.directory = directory
    self.cap = cap
  }

  /// Nil while another process has the lock.
  ///
  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  func lock() throws -> FileLock? {
    try writing {
      try directory.make()
      return try FileLock.attempt(directory.path(of: Self.lockName))
    }
  }

  /// Lets go of everything that was read.
  mutating func forget() {
    index = ThreadIndex()
    indexFile = nil
  }

  // MARK: The index

  /// Brings the index to what the files say now.
  ///
  /// - Parameter lock: the store's, where the caller has it.
  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  mutating func refresh(_ key: StoreKey, lock held: FileLock? = nil) throws {
    let log = indexLog(key)
    let directory = directory
    let lock = held ?? abandonedLock()
    defer { withExtendedLifetime(lock) {} }
    let isAbandoned = lock?.isMarked == true
    if !isAbandoned, indexFile?.catchUp(&index, in: directory, log) == true { return }
    let read = IndexFile.read(in: directory, log)
    indexFile = read?.0
    // What is in memory is as good a start: each entry is held against its file.
    if let read { index = read.1 }
    if try !mend(key), indexFile != nil, !isAbandoned { return }
    if let lock { return mendIndex(key, lock) }
    // A reader mends the file too, where it may: else each one would have to read the logs.
    guard !index.entries.isEmpty, let lock = try? FileLock.attempt(directory.path(of: Self.lockName)) else { return }
    try withExtendedLifetime(lock) {
      // Somebody may have written until now.
      _ = try mend(key)
      mendIndex(key, lock)
    }
  }

  /// The lock of a process that died between a log and the index, which those who have the index in memory cannot see.
  private func abandonedLock() -> FileLock? {
    guard let file = try? directory.file(Self.lockName, for: .reading), (try? file.size()) ?? 0 > 0 else { return nil }
    return try? FileLock.attempt(directory.path(of: Self.lockName))
  }

  private mutating func mendIndex(_ key: StoreKey, _ lock: FileLock) {
    rewriteIndex(key)
    if indexFile != nil { lock.mark(false) }
  }

  /// Runs what changes logs and the index. Until both say the same, the lock's file says that they may not.
  mutating func change(with lock: FileLock, _ body: (inout StoreFiles) throws -> Void) rethrows {
    lock.mark(true)
    defer { if indexFile != nil { lock.mark(false) } }
    try body(&self)
  }

  /// Reads what the logs say and the index does not. The sizes of the files tell which logs to read: they only grow.
  ///
  /// - Returns: whether there was anything.
  private mutating func mend(_ key: StoreKey) throws -> Bool {
    let changes = try differences(key)
    index.apply(changes)
    return !changes.isEmpty
  }

  private func differences(_ key: StoreKey) throws -> [ThreadIndex.Change] {
    var changed: [(id: String, size: Int64)] = []
    var found = 0
    for (id, size) in try reading({ try directory.files(suffix: Self.threadSuffix) }) {
      let known = index.bytes(of: id)
      if known != nil { found += 1 }
      if known != size, ThreadID.isValid(id) { changed.append((id, size)) }
    }
    var changes: [ThreadIndex.Change] = []
    if found < index.entries.count {
      for id in index.entries.map(\.summary.id) where !directory.contains(id + Self.threadSuffix) {
        changes.append(.removed(id))
      }
    }
    var unreadable = 0
    for (id, size) in changed {
      guard let entry = try? entry(of: id, size: size, key), entry != index[id] else { continue }
      if !entry.isReadable { unreadable += 1 }
      changes.append(.set(entry))
    }
    if unreadable > 0 { Log.warning("Of the stored threads, \(unreadable) cannot be read on this device.") }
    return changes
  }

  /// Notes changes that were made to the logs. That the index cannot be written is no failure.
  mutating func note(_ changes: [ThreadIndex.Change], _ key: StoreKey) {
    index.apply(changes)
    let log = indexLog(key)
    let directory = directory
    if (try? indexFile?.append(changes, in: directory, log)) != true { rewriteIndex(key) }
  }

  private mutating func rewriteIndex(_ key: StoreKey) {
    indexFile = try? IndexFile.write(index, in: directory, indexLog(key))
  }

  private func indexLog(_ key: StoreKey) -> SealedLog {
    SealedLog(header: LogHeader(kind: .index, device: key.device), name: "index", key: key.secret)
  }

  // MARK: The logs

  func threadLog(_ id: String, _ key: StoreKey) -> SealedLog {
    SealedLog(header: LogHeader(kind: .thread, device: key.device), name: id, key: key.secret)
  }

  /// - Throws: ``ChappieThreadStoreError``.
  func file(of id: String, for access: StorageFile.Access) throws -> StorageFile {
    guard ThreadID.isValid(id) else { throw ChappieThreadStoreError.noSuchThread(id) }
    do throws(StorageError) {
      return try directory.file(id + Self.threadSuffix, for: access)
    } catch .missing {
      throw ChappieThreadStoreError.noSuchThread(id)
    } catch {
      throw ChappieThreadStoreError(error, access == .reading ? "read" : "written", directory)
    }
  }

  /// Writes the file of a new thread, all of it or nothing.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func make(_ id: String, _ content: [UInt8]) throws {
    try writing {
      try BackupExclusion.writeMarks(in: directory)
      do {
        let file = try directory.file(Self.newName, for: .replacing)
        try file.write(content, at: 0, durably: true)
        try directory.rename(Self.newName, to: id + Self.threadSuffix)
        try directory.synchronize()
      } catch {
        try? directory.remove(Self.newName)
        throw error
      }
    }
  }

  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  func remove(_ ids: [String]) throws {
    try writing {
      for id in ids { try directory.remove(id + Self.threadSuffix) }
      try directory.synchronize()
    }
  }

  /// What the log says now. Where the index knows its beginning, only the rest is read.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func entry(of id: String, size: Int64, _ key: StoreKey) throws -> ThreadIndex.Entry {
    let file = try file(of: id, for: .reading)
    let sealed = threadLog(id, key)
    if let known = index[id], known.isReadable, known.summary.bytes <= size {
      let rest = try reading { try file.content(from: known.summary.bytes) }
      let log = ThreadLog(rest: rest, at: known.summary.bytes, number: known.nextNumber, sealed: sealed)
      return ThreadIndex.Entry(log, after: known.summary)
    }
    let bytes = try reading { try file.content() }
    let nothing = ChappieThreadSummary(id: id, createdAt: 0, updatedAt: 0, bytes: Int64(bytes.count))
    guard let log = try? ThreadLog(bytes, sealed: sealed), !log.isUnreadable else {
      return ThreadIndex.Entry(summary: nothing, nextNumber: 0, isReadable: false)
    }
    return ThreadIndex.Entry(log, after: nothing)
  }
}

extension ThreadIndex.Entry {
  /// The entry of a thread whose log says `log` after what `summary` tells.
  init(_ log: ThreadLog, after summary: ChappieThreadSummary) {
    var summary = summary
    for record in log.records { summary.apply(record) }
    summary.bytes = log.end
    self.init(summary: summary, nextNumber: log.nextNumber, isReadable: true)
  }
}

import GLibBridge

/// The files of a store, and what is known of them. Its methods block; those that write want the store's lock.
struct StoreFiles: Sendable {
  static let threadSuffix = ".thread"
  static let newName = "thread.new"
  private static let lockName = "lock"
  static let workName = "changing"

  /// What is larger is no log that this program wrote, unless there is no cap.
  private static let largestLog: Int64 = 1 << 30

  let directory: StorageDirectory
  /// The most that all threads may take, in bytes.
  let cap: Int64?

  private(set) var index = ThreadIndex()
  private var indexFile: IndexFile?
  /// What is done now.
  var attempt = DiskAttempt()

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
    let isAbandoned = lock != nil && directory.contains(Self.workName)
    if !isAbandoned, indexFile?.catchUp(&index, in: directory, log) == true { return }
    let read = IndexFile.read(in: directory, log)
    indexFile = read?.0
    // What is in memory is as good a start: each entry is held against its file.
    if let read { index = read.1 }
    if try !mend(key), indexFile != nil, !isAbandoned { return }
    if lock != nil { return mendIndex(key) }
    // A reader mends the file too, where it may: else each one would have to read the logs.
    guard !index.entries.isEmpty, let lock = try? FileLock.attempt(directory.path(of: Self.lockName)) else { return }
    try withExtendedLifetime(lock) {
      // Somebody may have written until now.
      _ = try mend(key)
      mendIndex(key)
    }
  }

  /// The lock of a process that died between a log and the index, which those who have the index in memory cannot see.
  private func abandonedLock() -> FileLock? {
    guard directory.contains(Self.workName) else { return nil }
    return try? FileLock.attempt(directory.path(of: Self.lockName))
  }

  private mutating func mendIndex(_ key: StoreKey) {
    rewriteIndex(key)
    noteAgreement()
  }

  /// Runs what changes logs and the index. Until both say the same, a file says that they may not.
  mutating func change<Result>(_ body: (inout StoreFiles) throws -> Result) rethrows -> Result {
    // One that is there already says as much, whatever it is. Where none can be made, nothing can be changed either.
    _ = try? directory.file(Self.workName, for: .making)
    defer { noteAgreement() }
    return try body(&self)
  }

  private func noteAgreement() {
    if indexFile != nil { try? directory.remove(Self.workName) }
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

  /// Has the index say what the whole log does: a record may have been damaged since it was noted, which the size of the
  /// file does not tell.
  mutating func correct(_ entry: ThreadIndex.Entry, _ key: StoreKey) {
    guard (try? refresh(key)) != nil, isOutOfDate(entry) else { return }
    guard let lock = try? FileLock.attempt(directory.path(of: Self.lockName)) else { return index.apply(.set(entry)) }
    withExtendedLifetime(lock) {
      // Somebody may have written until now.
      guard (try? refresh(key, lock: lock)) != nil, isOutOfDate(entry) else { return }
      note([.set(entry)], key)
    }
  }

  private func isOutOfDate(_ entry: ThreadIndex.Entry) -> Bool {
    guard let known = index[entry.summary.id] else { return false }
    return known != entry && known.summary.bytes == entry.summary.bytes
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

  /// The bytes of a log.
  ///
  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  func content(of file: StorageFile, from offset: Int64 = 0) throws -> [UInt8] {
    try reading { try file.content(from: offset, limit: max(cap ?? Self.largestLog, 1 << 20)) }
  }

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

  /// What the log says now. Where the index knows its beginning, only the rest is read.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func entry(of id: String, size: Int64, _ key: StoreKey) throws -> ThreadIndex.Entry {
    let file = try file(of: id, for: .reading)
    let sealed = threadLog(id, key)
    if let known = index[id], known.isReadable, known.summary.bytes <= size {
      let rest = (try? content(of: file, from: known.summary.bytes)) ?? []
      let log = ThreadLog(rest: rest, at: known.summary.bytes, number: known.nextNumber, sealed: sealed)
      // Where nothing was added, the file may be another one.
      if !log.records.isEmpty { return ThreadIndex.Entry(log, after: known.summary) }
    }
    let nothing = ChappieThreadSummary(id: id, createdAt: 0, updatedAt: 0, bytes: size)
    guard let bytes = try? content(of: file), let log = try? ThreadLog(bytes, sealed: sealed), !log.isUnreadable else {
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

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import Synchronization

/// A store that keeps threads in an SQLite database. It encrypts titles and turns with a key in the keyring, which is
/// bound to this device.
///
/// The cost of adding a turn depends on the size of that turn alone. Several programs may use one directory; they write
/// one at a time. Only the user can read the files, and backups exclude them.
public final class ChappieFileThreadStore: ChappieThreadStore {
  /// Distinguishes this store from others: stores of one directory have the same name.
  let name: String
  let keys: any ThreadKeySource
  let device: @Sendable () async throws -> String
  private let retention: ChappieThreadStoreRetentionPolicy
  let clock: @Sendable () -> Int64
  private let serverTime: @Sendable () -> Timestamp?
  let diskDeadline: Duration
  let isLocked: @GLibActor @Sendable () -> Bool
  /// Forgets the titles in memory when the screen or the keyring is locked; nil for a store that keeps them then.
  let lockObservation = Mutex<Observation?>(nil)
  let database: Mutex<ThreadDatabase>
  let queue = DiskQueue()
  let schedule: RetentionScheduler
  private let observers = Mutex<[Observer]>([])

  /// - Parameters:
  ///   - directory: the directory of the files, which the first thread creates; nil keeps the database in memory.
  ///   - device: returns a name for this device. The files cannot be read on another device. It throws
  ///     ``ChappieThreadStoreError``.
  ///   - keys: the source of the store's key.
  ///   - retention: the limits of age and size.
  ///   - clock: returns the time in Unix seconds.
  ///   - serverTime: returns the time by the clocks of servers; nil if it is unknown.
  ///   - patience: how long to wait for another process that writes.
  ///   - diskDeadline: an access that takes longer fails with ``ChappieThreadStoreError/unavailable(_:)``.
  ///   - isLocked: whether titles must not stay in memory now; called after each access.
  ///   - round: the interval of retention without a write; nil for never.
  package init(
    directory: String?, device: @escaping @Sendable () async throws -> String, keys: any ThreadKeySource,
    retention: ChappieThreadStoreRetentionPolicy = .default,
    clock: @escaping @Sendable () -> Int64 = { UnixTime.now },
    serverTime: @escaping @Sendable () -> Timestamp? = { ServerTime.now }, patience: Duration = .seconds(5),
    diskDeadline: Duration = .seconds(60), isLocked: @escaping @GLibActor @Sendable () -> Bool = { false },
    round: Duration? = .seconds(86_400)
  ) {
    database = Mutex(
      ThreadDatabase(
        directory.map { StorageDirectory($0) }, cap: retention.maximumTotalBytes, patience: patience))
    name = directory ?? UniqueID.make()
    self.device = device
    self.keys = keys
    self.retention = retention
    self.clock = clock
    self.serverTime = serverTime
    self.diskDeadline = diskDeadline
    self.isLocked = isLocked
    schedule = RetentionScheduler(retention, every: round)
  }

  /// What became of a thread.
  package enum Change: String, Sendable {
    case created, updated, renamed, archived, unarchived, deleted
  }

  package typealias Observer = @GLibActor (_ thread: String, Change) -> Void

  /// Adds an observer.
  ///
  /// - Parameter observer: called after each change by this object, before the method that makes it returns. The changes
  ///   of retention may be told later, and those of ``deleteAll()`` are not.
  package func onChange(_ observer: @escaping Observer) {
    observers.withLock { $0.append(observer) }
  }

  @GLibActor
  private func tell(_ thread: String, _ change: Change) {
    for observer in observers.withLock({ $0 }) { observer(thread, change) }
  }

  /// Forgets the titles in memory, when the screen or the keyring is locked. It waits for an access that is running.
  func forget() async {
    await queue.run(within: nil) { self.database.withLock { $0.forget() } }
  }

  /// Whether titles are in memory.
  package var hasThreadsInMemory: Bool {
    database.withLock { !$0.index.entries.isEmpty }
  }

  /// Deletes all threads and their key for good. Without the key, copies of the files are unreadable too.
  ///
  /// The threads need not be readable, so this also repairs a store whose key is damaged or missing. If the storage
  /// policy forbids access while the screen or the keyring is locked, nothing is deleted then. Stores of the same app
  /// and account in other directories use the same key, and become unreadable as well.
  ///
  /// - Throws: ``ChappieThreadStoreError/locked(_:)`` or ``ChappieThreadStoreError/keyringUnavailable(_:)`` if nothing
  ///   was deleted; ``ChappieThreadStoreError/busy(_:)`` or ``ChappieThreadStoreError/unavailable(_:)`` if the key was
  ///   deleted and unreadable files are left: call again to remove them.
  public func deleteAll() async throws {
    try await keys.destroy()
    guard try await onDisk({ try $0.exists() }) else { return }
    try await onDisk { try $0.removeAll() }
  }

  /// The ids of all threads, also of those that cannot be read. No thread is opened, and the key is not needed.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  package func ids() async throws -> [String] {
    try await onDisk { try $0.ids() }
  }

  /// Unlocks the keyring if the store needs it. The keyring may ask the user for its password.
  ///
  /// - Throws: ``ChappieThreadStoreError``, `CancellationError`.
  package func unlock() async throws {
    _ = try await keys.existingKey(interaction: .allowed)
  }

  // MARK: ChappieThreadStore

  public func create(_ thread: ChappieThreadSummary) async throws {
    try await write(to: thread.id) { database, key in try database.create(thread, key) }
    await tell(thread.id, .created)
  }

  public func append(_ turn: ChappieTurn, to thread: String) async throws {
    let wasArchived = try await write(to: thread) { database, key in try database.append(turn, to: thread, key) }
    if wasArchived { await tell(thread, .unarchived) }
    await tell(thread, .updated)
  }

  public func undoTurn(of thread: String, asking text: String?) async throws {
    try await write(to: thread) { database, key in
      try database.undoTurn(of: thread, asking: text, now: self.clock(), key)
    }
    await tell(thread, .updated)
  }

  public func thread(_ id: String) async throws -> ChappieThread {
    TurnLease.use(id, of: name)
    guard let thread = try await read({ database, key in try database.thread(id, key) }) else {
      throw ChappieThreadStoreError.noSuchThread(id)
    }
    return thread
  }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? {
    TurnLease.use(thread, of: name)
    return try await overview { index in
      guard let summary = index[thread]?.summary else { throw ChappieThreadStoreError.noSuchThread(thread) }
      return summary
    }
  }

  public func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
    try await overview { index in index.page(query) }
  }

  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    let wasArchived = try await write(to: thread) { database, key in
      try database.change(thread, change, now: self.clock(), key)
    }
    switch change {
    case .rename: await tell(thread, .renamed)
    case .archive: if !wasArchived { await tell(thread, .archived) }
    case .unarchive: if wasArchived { await tell(thread, .unarchived) }
    }
  }

  public func delete(_ thread: String) async throws {
    try await write(to: nil) { database, key in try database.delete(thread, key) }
    await tell(thread, .deleted)
  }

  public func usage() async throws -> ChappieThreadStoreUsage {
    try await overview { index in index.usage(limit: self.retention.maximumTotalBytes) }
  }

  // MARK: Retention

  /// Enforces the retention policy now and once a day, even if nothing uses the store.
  package func startRetention() async {
    startSchedule()
    // If it fails now, the next access or the next round does it.
    try? await enforceRetention()
  }

  /// Enforces the retention policy now. An empty store stays empty: it gets no key either.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  package func enforceRetention() async throws {
    guard try await onDisk({ try $0.holdsThreads() }) else { return }
    // Reads the index first: other programs may have written threads.
    try await write(to: nil) { database, key in try database.reading(key) { _, _ in } }
  }

  /// The plan of the retention policy for now; nil if there is nothing to do.
  ///
  /// - Parameter id: the thread that is being written; nil for none.
  func plan(_ index: ThreadIndex, writing id: String? = nil) -> RetentionPlan? {
    schedule.plan(index, now: clock(), inUse: TurnLease.threads(of: name, and: id))
  }

  /// Enforces the retention policy after a write. A failure is logged, because the write has succeeded.
  func enforce(_ database: inout ThreadDatabase, writing id: String?, _ key: StoreKey) {
    guard let plan = plan(database.index, writing: id) else { return }
    let now = clock()
    do {
      let done = try database.enforce(plan, now: now, serverTime: serverTime(), key)
      schedule.report(done, now: now)
      Task.onGLib {
        for thread in done.archived { tell(thread, .archived) }
        for thread in done.deleted { tell(thread, .deleted) }
      }
    } catch {
      Log.warning("Retention failed: \(ChappieThreadStoreError(error))")
    }
  }
}

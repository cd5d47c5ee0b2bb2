import ChappieSDK
import GLibBridge
import Platform
import SecretMemory
import Synchronization

/// Keeps threads in files, sealed with a key of this device that is in the keyring.
///
/// They are in an SQLite database, so that a turn costs what the turn weighs. Several programs may use one directory:
/// they write one at a time. The files are the user's alone and are kept out of backups.
public final class ChappieFileThreadStore: ChappieThreadStore {
  /// What tells the directory from those of other stores.
  let name: String
  let keys: any ThreadKeySource
  let device: @Sendable () async throws -> String
  private let retention: ChappieThreadStoreRetentionPolicy
  let clock: @Sendable () -> Int64
  let diskDeadline: Duration
  let isShut: @GLibActor @Sendable () -> Bool
  let database: Mutex<ThreadDatabase>
  let queue = DiskQueue()
  let rounds: RetentionRounds

  /// - Parameters:
  ///   - directory: where the files are; it is made when the first thread is.
  ///   - device: a name for this device; its files say nothing on another one. It throws ``ChappieThreadStoreError``.
  ///   - clock: Unix seconds.
  ///   - patience: how long another process's write is waited for.
  ///   - diskDeadline: a disk that takes longer is treated as none.
  ///   - isShut: whether what is stored may be in no memory now; asked after each access.
  ///   - round: how often the policy is followed when nothing is written; nil for never.
  package init(
    directory: String, device: @escaping @Sendable () async throws -> String, keys: any ThreadKeySource,
    retention: ChappieThreadStoreRetentionPolicy = .default,
    clock: @escaping @Sendable () -> Int64 = { UnixTime.now }, patience: Duration = .seconds(5),
    diskDeadline: Duration = .seconds(60), isShut: @escaping @GLibActor @Sendable () -> Bool = { false },
    round: Duration? = .seconds(86_400)
  ) {
    database = Mutex(
      ThreadDatabase(StorageDirectory(directory), cap: retention.maximumTotalBytes, patience: patience))
    name = directory
    self.device = device
    self.keys = keys
    self.retention = retention
    self.clock = clock
    self.diskDeadline = diskDeadline
    self.isShut = isShut
    rounds = RetentionRounds(retention, every: round)
  }

  /// Called with what the policy did, each time that it did something.
  package func onRetention(_ observer: @escaping @Sendable (_ archived: [String], _ deleted: [String]) -> Void) {
    rounds.observe(observer)
  }

  /// Lets go of what is in memory: for when the screen or the keyring is locked. A disk that hangs is waited for.
  func forget() async {
    await queue.run(within: nil) { self.database.withLock { $0.forget() } }
  }

  /// Whether something of what is stored is in memory.
  package var holdsSomething: Bool {
    database.withLock { !$0.index.entries.isEmpty }
  }

  /// Deletes all threads for good, with the key: a copy of the files that somebody may have says nothing any more.
  ///
  /// It is the way to begin anew where the key is of no use, or gone: what is stored need not be readable. While the
  /// screen or the keyring is locked so that it may not be read, nothing is deleted. What stores of the same app and
  /// account have in other directories has the same key, and cannot be read afterwards.
  ///
  /// - Throws: ``ChappieThreadStoreError/locked(_:)``, ``ChappieThreadStoreError/keyringUnavailable(_:)``;
  ///   ``ChappieThreadStoreError/busy(_:)`` and ``ChappieThreadStoreError/unavailable(_:)`` when files are left, which
  ///   nobody can read: ask again.
  public func deleteAll() async throws {
    try await keys.destroy()
    guard try await onDisk({ try $0.exists() }) else { return }
    try await onDisk { try $0.removeAll() }
  }

  /// Has the user asked for the keyring's password where that is what keeps the store from being read.
  ///
  /// - Throws: ``ChappieThreadStoreError``, `CancellationError`.
  package func unlock() async throws {
    _ = try await keys.existingKey(interaction: .allowed)
  }

  // MARK: ChappieThreadStore

  public func create(_ thread: ChappieThreadSummary) async throws {
    try await write(to: thread.id) { database, key in try database.create(thread, key) }
  }

  public func append(_ turn: ChappieTurn, to thread: String) async throws {
    try await write(to: thread) { database, key in try database.append(turn, to: thread, key) }
  }

  public func thread(_ id: String) async throws -> ChappieThread {
    use(id)
    guard let thread = try await read({ database, key in try database.thread(id, key) }) else {
      throw ChappieThreadStoreError.noSuchThread(id)
    }
    return thread
  }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? {
    use(thread)
    return try await overview { index in
      guard let summary = index[thread]?.summary else { throw ChappieThreadStoreError.noSuchThread(thread) }
      return summary
    }
  }

  public func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
    try await overview { index in index.page(query) }
  }

  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    try await write(to: thread) { database, key in try database.change(thread, change, now: self.clock(), key) }
  }

  public func delete(_ thread: String) async throws {
    try await write(to: nil) { database, key in try database.delete(thread, key) }
  }

  public func usage() async throws -> ChappieThreadStoreUsage {
    try await overview { index in index.usage(limit: self.retention.maximumTotalBytes) }
  }

  // MARK: Retention

  /// Does what the policy asks for now and once a day from now on, also when nobody uses the store.
  package func keepTidy() async {
    startRounds()
    // Where it cannot be done now, the next use or the next round does it.
    try? await enforceRetention()
  }

  /// Does what the policy asks for now. Where nothing was ever stored, that is nothing: no key is made either.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  package func enforceRetention() async throws {
    guard try await onDisk({ try $0.holdsThreads() }) else { return }
    // Threads that other programs wrote may be due as well.
    try await write(to: nil) { database, key in try database.reading(key) { _, _ in } }
  }

  /// What the policy asks for now; nil for nothing.
  ///
  /// - Parameter id: the thread that is written to.
  func plan(_ index: ThreadIndex, writing id: String? = nil) -> RetentionPlan? {
    rounds.note(id.flatMap { index[$0]?.summary })
    return rounds.plan(index, now: clock(), inUse: ThreadsInUse.ids(in: name).union(id.map { [$0] } ?? []))
  }

  func enforce(_ database: inout ThreadDatabase, writing id: String?, _ key: StoreKey) {
    guard let plan = plan(database.index, writing: id) else { return }
    let now = clock()
    do {
      try database.enforce(plan, now: now, key)
      rounds.schedule(database.index, now: now)
      rounds.report(plan)
    } catch {
      Log.warning("The stored threads were not tidied: \(ChappieThreadStoreError(error))")
    }
  }
}

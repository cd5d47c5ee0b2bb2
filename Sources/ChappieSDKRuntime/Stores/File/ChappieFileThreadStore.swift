import ChappieSDK
import GLibBridge
import SecretMemory
import Synchronization

/// Keeps threads in files, sealed with a key of this device that is in the keyring.
///
/// A thread is an append-only log, so that a turn costs what the turn weighs. Several programs may use one directory:
/// they write one at a time. The files are the user's alone and are kept out of backups.
public final class ChappieFileThreadStore: ChappieThreadStore {
  private static let retryInterval = Duration.milliseconds(20)
  /// A disk that takes longer than this is treated as none.
  private static let diskDeadline = Duration.seconds(60)

  private let keys: any ThreadKeySource
  private let device: @Sendable () async throws -> String
  private let retention: ChappieThreadStoreRetentionPolicy
  private let clock: @Sendable () -> Int64
  private let patience: Duration
  private let files: Mutex<StoreFiles>
  private let rounds: RetentionRounds

  /// - Parameters:
  ///   - directory: where the files are; it is made when the first thread is.
  ///   - device: a name for this device; its files say nothing on another one. It throws ``ChappieThreadStoreError``.
  ///   - clock: Unix seconds.
  ///   - patience: how long another process's write is waited for.
  ///   - round: how often the policy is followed when nothing is written; nil for never.
  package init(
    directory: String, device: @escaping @Sendable () async throws -> String, keys: any ThreadKeySource,
    retention: ChappieThreadStoreRetentionPolicy = .default,
    clock: @escaping @Sendable () -> Int64 = { UnixTime.now }, patience: Duration = .seconds(5),
    round: Duration? = .seconds(86_400)
  ) {
    files = Mutex(StoreFiles(StorageDirectory(directory), cap: retention.maximumTotalBytes))
    self.device = device
    self.keys = keys
    self.retention = retention
    self.clock = clock
    self.patience = patience
    rounds = RetentionRounds(retention, every: round)
  }

  /// Called with what the policy did, each time that it did something.
  package func onRetention(_ observer: @escaping @Sendable (_ archived: [String], _ deleted: [String]) -> Void) {
    rounds.observe(observer)
  }

  /// Lets go of what is in memory: for when the screen or the keyring is locked.
  func forget() async {
    await offActor(deadline: Self.diskDeadline) { self.files.withLock { $0.forget() } }
  }

  /// Whether something of what is stored is in memory.
  var holdsSomething: Bool {
    files.withLock { !$0.index.entries.isEmpty }
  }

  /// Makes everything that is stored unreadable for good.
  ///
  /// - Throws: ``ChappieThreadStoreError/keyringUnavailable(_:)``, ``ChappieThreadStoreError/locked(_:)``.
  package func destroyKey() async throws {
    try await keys.destroy()
    await forget()
  }

  /// Has the user asked for the keyring's password where that is what keeps the store from being read.
  ///
  /// - Throws: ``ChappieThreadStoreError``, `CancellationError`.
  package func unlock() async throws {
    _ = try await keys.key(interaction: .allowed)
  }

  // MARK: ChappieThreadStore

  public func create(_ thread: ChappieThreadSummary) async throws {
    try await write(to: thread.id) { files, key in try files.create(thread, key) }
  }

  public func append(_ turn: ChappieTurn, to thread: String) async throws {
    try await write(to: thread) { files, key in try files.append(turn, to: thread, key) }
  }

  public func thread(_ id: String) async throws -> ChappieThread {
    let found = try await read { files, key in try files.thread(id, key) }
    guard found.isTorn else { return found.thread }
    // A record that another process is writing looks like one that was never finished: with the lock, none is.
    do {
      return try await locked { files, _, key in try files.thread(id, key).thread }
    } catch ChappieThreadStoreError.busy, ChappieThreadStoreError.unavailable {
      return found.thread
    }
  }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? {
    try await overview { index in
      guard let summary = index[thread]?.summary else { throw ChappieThreadStoreError.noSuchThread(thread) }
      return summary
    }
  }

  public func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
    try await overview { index in try index.page(query) }
  }

  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    try await write(to: thread) { files, key in try files.change(thread, change, now: self.clock(), key) }
  }

  public func delete(_ thread: String) async throws {
    try await write(to: nil) { files, key in try files.delete(thread, key) }
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
    guard try await onDisk({ $0.directory.exists }) else { return }
    try await write(to: nil) { _, _ in }
  }

  private func enforce(_ files: inout StoreFiles, inUse: String?, _ key: StoreKey) {
    let now = clock()
    rounds.note(inUse.flatMap { files.index[$0]?.summary })
    guard let plan = rounds.plan(files.index, now: now, inUse: inUse) else { return }
    do {
      try files.enforce(plan, now: now, key)
      rounds.schedule(files.index, now: now)
      rounds.report(plan)
    } catch {
      Log.warning("The stored threads were not tidied: \(error)")
    }
  }

  // MARK: Access

  private typealias Deed<Result> = @Sendable (inout StoreFiles, StoreKey) throws -> Result

  private func read<Result: Sendable>(_ body: @escaping Deed<Result>) async throws -> Result {
    let key = try await key()
    return try await onDisk { files in try body(&files, key) }
  }

  /// What the index says, once what is due was done.
  private func overview<Result: Sendable>(_ body: @escaping @Sendable (ThreadIndex) throws -> Result) async throws
    -> Result
  {
    let found: Result? = try await read { files, key in
      try files.refresh(key)
      let isTidy = self.rounds.plan(files.index, now: self.clock(), inUse: nil) == nil
      return isTidy ? try body(files.index) : nil
    }
    startRounds()
    if let found { return found }
    // Where nothing can be written, things are as they are.
    try? await enforceRetention()
    return try await read { files, key in
      try files.refresh(key)
      return try body(files.index)
    }
  }

  /// Does what changes files, and then what the policy asks for.
  private func write(to id: String?, _ body: @escaping Deed<Void>) async throws {
    try await locked { files, lock, key in
      try files.refresh(key, lock: lock)
      try files.change(with: lock) { files in
        try body(&files, key)
        self.enforce(&files, inUse: id, key)
      }
    }
    if TurnHold.current != nil { await OpenStores.written(self) }
    startRounds()
  }

  private func startRounds() {
    rounds.start { [weak self] in (try? await self?.enforceRetention()) != nil }
  }

  private func locked<Result: Sendable>(
    _ body: @escaping @Sendable (inout StoreFiles, FileLock, StoreKey) throws -> Result
  ) async throws -> Result {
    let key = try await key()
    let end = ContinuousClock.now + patience
    while true {
      let result: Result? = try await onDisk { files in
        guard let lock = try files.lock() else { return nil }
        return try withExtendedLifetime(lock) { try body(&files, lock, key) }
      }
      if let result { return result }
      guard ContinuousClock.now < end else {
        throw ChappieThreadStoreError.busy("Another program has been writing to the stored threads: try again.")
      }
      try await sleep(for: Self.retryInterval)
    }
  }

  private func key() async throws -> StoreKey {
    if let held = TurnHold.current?.key(of: self) { return held }
    do {
      let key = try await StoreKey(secret: keys.key(interaction: .forbidden), device: device())
      TurnHold.current?.keep(key, of: self)
      return key
    } catch {
      // What may not be read is not kept either.
      files.withLockIfAvailable { $0.forget() }
      throw error
    }
  }

  private func onDisk<Value: Sendable>(_ body: @escaping @Sendable (inout StoreFiles) throws -> Value) async throws
    -> Value
  {
    let result = await offActor(deadline: Self.diskDeadline) {
      Result { try self.files.withLock { try body(&$0) } }
    }
    guard let result else {
      throw ChappieThreadStoreError.unavailable("The disk that holds the threads does not answer: look after it.")
    }
    return try result.get()
  }
}

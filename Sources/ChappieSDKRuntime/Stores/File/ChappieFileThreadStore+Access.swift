import GLibBridge
import SecretMemory
import Synchronization

/// How a store comes to its files: with the key, with the lock where it writes, and off the actor.
extension ChappieFileThreadStore {
  typealias Deed<Result> = @Sendable (inout StoreFiles, StoreKey) throws -> Result

  private static let retryInterval = Duration.milliseconds(20)

  /// - Returns: nil where nothing was ever stored: no key is made for that.
  func read<Result: Sendable>(_ body: @escaping Deed<Result>) async throws -> Result? {
    guard try await onDisk({ $0.directory.exists }), let key = try await key(orFirst: false) else { return nil }
    return try await onDisk { files in try body(&files, key) }
  }

  /// What the index says, once what is due was done.
  func overview<Result: Sendable>(_ body: @escaping @Sendable (ThreadIndex) throws -> Result) async throws
    -> Result
  {
    let found = try await read { files, key in
      try files.refresh(key)
      return (result: try body(files.index), isTidy: self.plan(files.index) == nil)
    }
    guard let found else { return try body(ThreadIndex()) }
    startRounds()
    if found.isTidy { return found.result }
    // Where nothing can be written, things are as they are.
    try? await enforceRetention()
    return try await read { files, key in
      try files.refresh(key)
      return try body(files.index)
    } ?? body(ThreadIndex())
  }

  /// Does what changes files, and then what the policy asks for.
  func write(to id: String?, _ body: @escaping Deed<Void>) async throws {
    if let id { use(id) }
    let isHeld = TurnHold.current != nil
    let isTidy = try await locked { files, lock, key in
      try files.refresh(key, lock: lock)
      return try files.change { files in
        try body(&files, key)
        // A key that is held for a turn is for its thread alone.
        if isHeld { return self.plan(files.index, writing: id) == nil }
        self.enforce(&files, writing: id, key)
        return true
      }
    }
    startRounds()
    if !isTidy { await TurnHold.$current.withValue(nil) { try? await enforceRetention() } }
  }

  /// Where a turn asks, the thread stays as it is until the turn has ended.
  func use(_ id: String) {
    TurnHold.current?.use(ThreadsInUse.Place(store: name, id: id))
  }

  func startRounds() {
    rounds.start { [weak self] in (try? await self?.enforceRetention()) != nil }
  }

  func locked<Result: Sendable>(
    _ body: @escaping @Sendable (inout StoreFiles, FileLock, StoreKey) throws -> Result
  ) async throws -> Result {
    guard let key = try await key(orFirst: true) else { throw Self.keyIsGone }
    return try await alone { files, lock in try body(&files, lock, key) }
  }

  /// Runs `body` while no other process writes.
  func alone<Result: Sendable>(
    _ body: @escaping @Sendable (inout StoreFiles, FileLock) throws -> Result
  ) async throws -> Result {
    let end = ContinuousClock.now + patience
    while true {
      let result: Result? = try await onDisk { files in
        guard let lock = try files.lock() else { return nil }
        return try withExtendedLifetime(lock) { try body(&files, lock) }
      }
      if let result { return result }
      guard ContinuousClock.now < end else {
        throw ChappieThreadStoreError.busy("Another program has been writing to the stored threads: try again.")
      }
      try await sleep(for: Self.retryInterval)
    }
  }

  /// - Parameter orFirst: makes a key where nothing is stored; nil otherwise.
  private func key(orFirst: Bool) async throws -> StoreKey? {
    if let held = TurnHold.current?.key(of: self) { return held }
    do {
      guard let secret = try await secret(orFirst: orFirst) else { return nil }
      let key = try await StoreKey(secret: secret, device: device())
      TurnHold.current?.keep(key, of: self)
      return key
    } catch {
      // What may not be read is not kept either.
      files.withLockIfAvailable { $0.forget() }
      throw error
    }
  }

  /// Where something is stored, a new key would hide that the old one is gone.
  private func secret(orFirst: Bool) async throws -> SecretBytes? {
    if let key = try await keys.existingKey(interaction: .forbidden) { return key }
    guard try await onDisk({ try !$0.holdsThreads() }) else { throw Self.keyIsGone }
    return orFirst ? try await keys.key(interaction: .forbidden) : nil
  }

  private static let keyIsGone = ChappieThreadStoreError.unreadable(
    "The key of the stored threads is gone, and with it what is in them: delete all of them to begin anew.")

  func onDisk<Value: Sendable>(_ body: @escaping @Sendable (inout StoreFiles) throws -> Value) async throws -> Value {
    let attempt = DiskAttempt()
    let result = await queue.run(within: diskDeadline, attempt) {
      Result {
        try self.files.withLock { files in
          files.attempt = attempt
          return try body(&files)
        }
      }
    } after: {
      // It may have been locked since the key was asked for.
      if self.isShut() { self.files.withLock { $0.forget() } }
    }
    guard let result else { throw ChappieThreadStoreError.notInTime }
    return try result.get()
  }
}

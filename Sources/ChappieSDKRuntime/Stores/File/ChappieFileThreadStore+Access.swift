import GLibBridge
import Synchronization

/// How a store comes to its files: with the key, with the lock where it writes, and off the actor.
extension ChappieFileThreadStore {
  typealias Deed<Result> = @Sendable (inout StoreFiles, StoreKey) throws -> Result

  private static let retryInterval = Duration.milliseconds(20)
  /// A disk that takes longer than this is treated as none.
  static let diskDeadline = Duration.seconds(60)

  func read<Result: Sendable>(_ body: @escaping Deed<Result>) async throws -> Result {
    let key = try await key()
    return try await onDisk { files in try body(&files, key) }
  }

  /// What the index says, once what is due was done.
  func overview<Result: Sendable>(_ body: @escaping @Sendable (ThreadIndex) throws -> Result) async throws
    -> Result
  {
    let found: Result? = try await read { files, key in
      try files.refresh(key)
      return self.plan(files.index) == nil ? try body(files.index) : nil
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
  func write(to id: String?, _ body: @escaping Deed<Void>) async throws {
    if let id { use(id) }
    try await locked { files, key in
      try files.refresh(key, hasLock: true)
      try body(&files, key)
      self.enforce(&files, writing: id, key)
    }
    if TurnHold.current != nil { await OpenStores.written(self) }
    startRounds()
  }

  /// Where a turn asks, the thread stays as it is until the turn has ended.
  func use(_ id: String) {
    TurnHold.current?.use(ThreadsInUse.Place(store: name, id: id))
  }

  func startRounds() {
    rounds.start { [weak self] in (try? await self?.enforceRetention()) != nil }
  }

  private func locked<Result: Sendable>(_ body: @escaping Deed<Result>) async throws -> Result {
    let key = try await key()
    let end = ContinuousClock.now + patience
    while true {
      let result: Result? = try await onDisk { files in
        guard let lock = try files.lock() else { return nil }
        return try withExtendedLifetime(lock) { try body(&files, key) }
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

  func onDisk<Value: Sendable>(_ body: @escaping @Sendable (inout StoreFiles) throws -> Value) async throws
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

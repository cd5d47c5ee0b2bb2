import ChappieSDK
import SecretMemory
import Synchronization

/// How a store comes to its database: with the key, and off the actor.
extension ChappieFileThreadStore {
  typealias Deed<Result> = @Sendable (inout ThreadDatabase, StoreKey) throws -> Result

  /// - Returns: nil where nothing was ever stored: no key is made for that.
  func read<Result: Sendable>(_ body: @escaping Deed<Result>) async throws -> Result? {
    guard try await onDisk({ try $0.exists() }), let key = try await key(orFirst: false) else { return nil }
    return try await onDisk { database in try body(&database, key) }
  }

  /// What the index says, once what is due was done.
  func overview<Result: Sendable>(_ body: @escaping @Sendable (ThreadIndex) throws -> Result) async throws
    -> Result
  {
    let found = try await read { database, key in
      try database.reading(key) { (result: try body($1), isTidy: self.plan($1) == nil) }
    }
    guard let found else { return try body(ThreadIndex()) }
    startRounds()
    if found.isTidy { return found.result }
    // Where nothing can be written, things are as they are.
    try? await enforceRetention()
    return try await read { database, key in try database.reading(key) { try body($1) } } ?? body(ThreadIndex())
  }

  /// Does what changes threads, and then what the policy asks for.
  func write(to id: String?, _ body: @escaping Deed<Void>) async throws {
    if let id { use(id) }
    let isHeld = TurnLease.current != nil
    guard let key = try await key(orFirst: true) else { throw Self.keyIsGone }
    let isTidy = try await onDisk { database in
      try body(&database, key)
      // A key that is held for a turn is for its thread alone.
      if isHeld { return self.plan(database.index, writing: id) == nil }
      self.enforce(&database, writing: id, key)
      return true
    }
    startRounds()
    if !isTidy { await TurnLease.$current.withValue(nil) { try? await enforceRetention() } }
  }

  /// Where a turn asks, the thread stays as it is until the turn has ended.
  func use(_ id: String) {
    TurnLease.current?.use(ThreadsInUse.Place(store: name, id: id))
  }

  func startRounds() {
    rounds.start { [weak self] in (try? await self?.enforceRetention()) != nil }
  }

  /// - Parameter orFirst: makes a key where nothing is stored; nil otherwise.
  private func key(orFirst: Bool) async throws -> StoreKey? {
    if let held = TurnLease.current?.key(of: self) { return held }
    do {
      guard let secret = try await secret(orFirst: orFirst) else { return nil }
      let key = try await StoreKey(secret: secret, device: device())
      TurnLease.current?.keep(key, of: self)
      return key
    } catch {
      // What may not be read is not kept either.
      database.withLockIfAvailable { $0.forget() }
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

  func onDisk<Value: Sendable>(_ body: @escaping @Sendable (inout ThreadDatabase) throws -> Value) async throws -> Value
  {
    let attempt = DiskAttempt()
    let result = await queue.run(within: diskDeadline, attempt) {
      Result {
        try self.database.withLock { database in
          database.attempt = attempt
          return try body(&database)
        }
      }
    } after: {
      // It may have been locked since the key was asked for.
      if self.isShut() { self.database.withLock { $0.forget() } }
    }
    guard let result else { throw ChappieThreadStoreError.notInTime }
    return try result.get()
  }
}

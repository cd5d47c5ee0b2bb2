// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import SecretMemory
import Synchronization

/// Access to the database, with the key and off the actor.
extension ChappieFileThreadStore {
  /// Work on the database, with the key of the store.
  typealias DatabaseOperation<Result> = @Sendable (inout ThreadDatabase, StoreKey) throws -> Result

  /// Runs an operation that reads.
  ///
  /// - Returns: nil if nothing was ever stored; reading makes no key.
  func read<Result: Sendable>(_ body: @escaping DatabaseOperation<Result>) async throws -> Result? {
    guard try await onDisk({ try $0.exists() }), let key = try await key(makesFirst: false) else { return nil }
    return try await onDisk { database in try body(&database, key) }
  }

  /// Runs `body` with the index, after retention has done its work.
  func overview<Result: Sendable>(_ body: @escaping @Sendable (ThreadIndex) throws -> Result) async throws
    -> Result
  {
    let found = try await read { database, key in
      try database.reading(key) { (result: try body($1), isRetained: self.plan($1) == nil) }
    }
    guard let found else { return try body(ThreadIndex()) }
    startSchedule()
    if found.isRetained { return found.result }
    // If retention fails, as on a read-only disk, the index is shown as it is.
    try? await enforceRetention()
    return try await read { database, key in try database.reading(key) { try body($1) } } ?? body(ThreadIndex())
  }

  /// Runs an operation that writes, and then enforces the retention policy.
  ///
  /// - Parameter id: the thread that the operation writes to; nil for none.
  func write<Result: Sendable>(to id: String?, _ body: @escaping DatabaseOperation<Result>) async throws -> Result {
    if let id { TurnLease.use(id, of: name) }
    let isLeased = TurnLease.current != nil
    guard let key = try await key(makesFirst: true) else { throw Self.keyIsGone }
    let (result, isRetained) = try await onDisk { database in
      let result = try body(&database, key)
      // A leased key is for the thread of its turn alone.
      if isLeased { return (result, self.plan(database.index, writing: id) == nil) }
      self.enforce(&database, writing: id, key)
      return (result, true)
    }
    startSchedule()
    if !isRetained { await TurnLease.$current.withValue(nil) { try? await enforceRetention() } }
    return result
  }

  func startSchedule() {
    schedule.start { [weak self] in (try? await self?.enforceRetention()) != nil }
  }

  /// The key of the store: that of the running turn's lease, or the one in the keyring.
  ///
  /// - Parameter makesFirst: whether to make a key if the store is empty and has none.
  private func key(makesFirst: Bool) async throws -> StoreKey? {
    if let leased = TurnLease.current?.key(of: self) { return leased }
    do {
      guard let secret = try await secret(makesFirst: makesFirst) else { return nil }
      let key = try await StoreKey(secret: secret, device: device())
      TurnLease.current?.keep(key, of: self)
      return key
    } catch {
      // Without access to the key, the titles must not stay in memory.
      database.withLockIfAvailable { $0.forget() }
      throw error
    }
  }

  /// If the store has threads, a missing key is an error: a new key would hide the loss.
  private func secret(makesFirst: Bool) async throws -> SecretBytes? {
    if let key = try await keys.existingKey(interaction: .forbidden) { return key }
    guard try await onDisk({ try !$0.holdsThreads() }) else { throw Self.keyIsGone }
    return makesFirst ? try await keys.key(interaction: .forbidden) : nil
  }

  private static let keyIsGone = ChappieThreadStoreError.unreadable(
    en("The key of the stored threads is missing, so they cannot be read: delete all threads to start over."))

  /// Runs `body` on the disk queue.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
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
      // The screen or the keyring may have been locked since the key was read.
      if self.isLocked() { self.database.withLock { $0.forget() } }
    }
    guard let result else { throw ChappieThreadStoreError.timedOut }
    return try result.get()
  }
}

// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Synchronization

@testable import ChappieSDKRuntime

/// The directory of a store, its key and its clock. The directory is removed with this value.
final class FileStoreWorld: Sendable {
  let directory: String
  let keys = SwitchedKey()
  let clock = SetClock()
  let servers = SetServers()

  init() {
    servers.follow(clock)
    directory = FileManager.default.temporaryDirectory.path + "/chappie-threads-" + UUID().uuidString
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// A new store object on the directory, as in another process.
  func store(
    retention: ChappieThreadStoreRetentionPolicy = .unlimited, device: String = "d0",
    keys: (any ThreadKeySource)? = nil,
    patience: Duration = TestSupport.patience, diskDeadline: Duration = TestSupport.patience * 2,
    isLocked: @escaping @GLibActor @Sendable () -> Bool = { false }
  ) -> ChappieFileThreadStore {
    ChappieFileThreadStore(
      directory: directory, device: { device }, keys: keys ?? self.keys, retention: retention,
      clock: { [clock] in clock.now }, serverTime: { [servers] in servers.now }, patience: patience,
      diskDeadline: diskDeadline, isLocked: isLocked, round: nil)
  }

  /// A store in memory with the same clock.
  func memoryStore(retention: ChappieThreadStoreRetentionPolicy) -> ChappieInMemoryThreadStore {
    ChappieInMemoryThreadStore(retentionPolicy: retention, serverTime: { [servers] in servers.now }) {
      [clock] in clock.now
    }
  }

  // MARK: Files

  func path(_ name: String) -> String { directory + "/" + name }

  /// A connection to the database, next to those of the stores.
  func database() throws -> Database {
    let real = try #require(realpath(directory, nil))
    defer { free(real) }
    return try Database(String(cString: real) + "/" + DatabaseFiles.database, busyTimeout: patience)
  }

  /// Waits until no connection is open: a released store may still be closing its own.
  func closed() async throws {
    try await eventually { access(path(DatabaseFiles.log), F_OK) != 0 }
  }

  /// Copies the current content to a complete database without a log.
  func backUp(to name: String) throws {
    try database().run("VACUUM INTO ?", .text(path(name)))
  }

  func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: path(name))))
  }

  func write(_ bytes: some Collection<UInt8>, _ name: String) throws {
    try Data(bytes).write(to: URL(filePath: path(name)))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path(name))
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
  }
}

extension ChappieFileThreadStore {
  typealias Access = @Sendable () async throws -> Void

  /// Each way to read, with the thread `a`.
  var reads: [Access] {
    [
      { _ = try await self.thread("a") }, { _ = try await self.threads(ChappieThreadQuery()) },
      { _ = try await self.usage() }, { try await self.enforceRetention() },
    ]
  }

  /// Each way to write, with the thread `a` and a new one.
  var writes: [Access] {
    [
      { try await self.create(.sample("new")) }, { try await self.append(.sample("t2"), to: "a") },
      { try await self.change("a", .archive) }, { try await self.undoTurn(of: "a", asking: nil) },
      { try await self.delete("a") },
    ]
  }
}

extension ChappieThreadStoreError {
  /// The name of the case.
  var kind: String { Mirror(reflecting: self).children.first?.label ?? "" }
}

/// A source of a key that tests can lose or make fail.
final class SwitchedKey: ThreadKeySource {
  /// Nil if there is none; another one can be made.
  private let secret: Mutex<SecretBytes?>
  private let failure = Mutex<ChappieThreadStoreError?>(nil)

  init(_ secret: SecretBytes = AEAD.randomKey()) {
    self.secret = Mutex(secret)
  }

  func fail(_ error: ChappieThreadStoreError?) {
    failure.withLock { $0 = error }
  }

  func lose() {
    secret.withLock { $0 = nil }
  }

  func existingKey(interaction: UserInteraction) async throws -> SecretBytes? {
    if let error = failure.withLock({ $0 }) { throw error }
    return secret.withLock { $0 }
  }

  func key(interaction: UserInteraction) async throws -> SecretBytes {
    if let key = try await existingKey(interaction: interaction) { return key }
    let new = AEAD.randomKey()
    secret.withLock { $0 = new }
    return new
  }

  /// As with the keyring: a locked key is not destroyed, an unusable one is.
  func destroy() throws {
    try failure.withLock { failure in
      if case .locked = failure { throw ChappieThreadStoreError.locked("It is locked.") }
      failure = nil
    }
    lose()
  }
}

/// A clock that changes only when a test sets it.
final class SetClock: Sendable {
  private let time = Mutex<Int64>(1_800_000_000)

  var now: Int64 { time.withLock { $0 } }

  func advance(days: Double = 0, seconds: Int64 = 0) {
    time.withLock { $0 += Int64(days * 86_400) + seconds }
  }
}

/// The time that servers tell.
final class SetServers: Sendable {
  private let source = Mutex<(clock: SetClock?, told: Int64?)>((nil, nil))

  var now: Timestamp? { source.withLock { ($0.clock?.now ?? $0.told).flatMap { Timestamp($0) } } }

  /// Tells the time of `clock`; nil tells none.
  func follow(_ clock: SetClock?) {
    source.withLock { $0 = (clock, nil) }
  }

  func tell(_ time: Int64?) {
    source.withLock { $0 = (nil, time) }
  }
}

extension ChappieThreadSummary {
  static func sample(_ id: String, title: String = "", at time: Int64 = 1_800_000_000) -> ChappieThreadSummary {
    ChappieThreadSummary(id: id, title: title, createdAtSeconds: time, updatedAtSeconds: time)
  }
}

extension ChappieTurn {
  static func sample(_ id: String, _ question: String = "How far is it?", at time: Int64 = 1_800_000_000) -> ChappieTurn
  {
    ChappieTurn(
      id: id, recordedAtSeconds: time,
      events: [
        .input(.user(question)),
        .toolCall(callID: "c1", name: "measure", arguments: #"{"from":"here"}"#),
        .toolOutput(callID: "c1", name: "measure", status: .completed, output: "3 km"),
        .payload(["type": "reasoning", "n": 1]),
        .output(text: "It is 3 km.", model: "m", responseID: "r1"),
      ])
  }
}

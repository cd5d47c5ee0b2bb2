// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization

@testable import ChappieSDKRuntime

/// Errors of the operating system. Tests have a process of their own where a limit or a right is that of a process.
struct FaultTests {
  @Test func aFullDiskLosesNoStoredTurn() async throws {
    await #expect(processExitsWith: .success) {
      let world = FileStoreWorld()
      let store = world.store()
      try await store.create(.sample("a"))
      try await store.append(.sample("t1"), to: "a")
      let before = try await store.thread("a")
      // A limit on the size of files stands for a full disk.
      signal(SIGXFSZ, SIG_IGN)
      let length = try world.bytes("threads.db-wal").count
      for more in stride(from: 0, to: 8_000, by: 613) {
        for writer in [store, world.store()] {
          FileLimit.set(length + more)
          let error = await #expect(throws: ChappieThreadStoreError.self) {
            try await writer.append(.sample("t2", String(repeating: "x", count: 10_000)), to: "a")
          }
          #expect(error?.kind == "full", "\(String(describing: error))")
          #expect(try await writer.thread("a") == before, "\(more)")
          FileLimit.set(nil)
        }
        #expect(try await world.store().thread("a") == before, "\(more)")
      }
      FileLimit.set(0)
      for access in store.writes { await #expect(throws: ChappieThreadStoreError.self) { try await access() } }
      #expect(try await store.threads(ChappieThreadQuery()) == [before.summary])
      FileLimit.set(nil)
      try await store.append(.sample("t2"), to: "a")
      #expect(try await world.store().thread("a").turns.map(\.id) == ["t1", "t2"])
    }
  }

  /// SQLite needs space to delete a thread; deleteAll needs none.
  @Test func deleteAllWorksOnAFullDisk() async throws {
    await #expect(processExitsWith: .success) {
      let world = FileStoreWorld()
      let store = world.store()
      for id in ["a", "b"] { try await store.create(.sample(id)) }
      signal(SIGXFSZ, SIG_IGN)
      FileLimit.set(0)
      try await store.deleteAll()
      #expect(try await store.threads(ChappieThreadQuery()).isEmpty)
      FileLimit.set(nil)
      try await store.create(.sample("c"))
      #expect(try await world.store().threads(ChappieThreadQuery()).map(\.id) == ["c"])
    }
  }

  @Test func aFailedCreationCanBeRepeated() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      for length in stride(from: 0, to: 70_000, by: 1_900) {
        let world = FileStoreWorld()
        let store = world.store()
        FileLimit.set(length)
        try? await store.create(.sample("a"))
        FileLimit.set(nil)
        for store in [store, world.store()] { _ = try await store.threads(ChappieThreadQuery()) }
        try await world.store().create(.sample("b"))
        #expect(try await store.threads(ChappieThreadQuery()).map(\.id).contains("b"), "\(length)")
      }
    }
  }

  @Test func aReadOnlyStoreCanBeRead() async throws {
    await #expect(processExitsWith: .success) {
      let world = FileStoreWorld()
      try await world.store().create(.sample("a", title: "A walk"))
      try await world.store().append(.sample("t1"), to: "a")
      try await world.closed()
      for name in try world.names { chmod(world.path(name), 0o400) }
      chmod(world.directory, 0o500)
      try OtherUser.become(ownerOf: world)
      let before = try world.names.map { try world.bytes($0) }
      let store = world.store()
      #expect(try await store.thread("a").turns.map(\.id) == ["t1"])
      #expect(try await store.threads(ChappieThreadQuery()).map(\.title) == ["A walk"])
      for access in store.writes { await expectUnavailable(access) }
      #expect(try world.names.map { try world.bytes($0) } == before)
    }
  }

  @Test func anUnreadableStoreIsAnError() async throws {
    await #expect(processExitsWith: .success) {
      let world = FileStoreWorld()
      try await world.store().create(.sample("a"))
      try await world.closed()
      try OtherUser.become(ownerOf: world)
      let known = world.store()
      _ = try await known.threads(ChappieThreadQuery())
      chmod(world.path("threads.db"), 0)
      for access in world.store().reads + world.store().writes { await expectUnavailable(access) }
      chmod(world.directory, 0)
      for store in [known, world.store()] {
        for access in store.reads + store.writes { await expectUnavailable(access) }
      }
      chmod(world.directory, 0o700)
      chmod(world.path("threads.db"), 0o600)
      #expect(try await known.thread("a").id == "a")
    }
  }

  // MARK: A disk that does not answer

  @Test func aHangingDiskBlocksOneThread() async throws {
    await #expect(processExitsWith: .success) {
      let world = FileStoreWorld()
      try await world.store().create(.sample("a"))
      let store = world.store(diskDeadline: .milliseconds(200))
      let disk = HangingDisk()
      let first = Task { try await store.onDisk { _ in disk.hang() } }
      try await eventually { disk.isHanging }
      await withTaskGroup { group in
        for number in 1...10 {
          group.addTask {
            await #expect(throws: ChappieThreadStoreError.timedOut) {
              try await store.append(.sample("t\(number)"), to: "a")
            }
          }
        }
      }
      await #expect(throws: ChappieThreadStoreError.timedOut) { try await first.value }
      // One of the store before may still be ending.
      try await eventually { try Self.threads() == 1 }
      disk.goOn()
      await store.forget()
      #expect(try await world.store().thread("a").turns.isEmpty, "a failed operation has no later effect")
    }
  }

  /// The caller got an error and may try again.
  @Test func aLateWriteIsRolledBack() async throws {
    let world = FileStoreWorld()
    try await world.store().create(.sample("a"))
    let before = try await world.store().threads(ChappieThreadQuery(.all))
    let key = try await StoreKey(secret: world.keys.key(interaction: .forbidden), device: "d0")
    let store = world.store(diskDeadline: .milliseconds(50))
    for deed in [
      { database in _ = try database.append(.sample("t"), to: "a", key) },
      { database in try database.create(.sample("b"), key) },
      { database in _ = try database.change("a", .rename("late"), now: 1, key) },
      { database in try database.delete("a", key) },
    ] as [@Sendable (inout ThreadDatabase) throws -> Void] {
      let disk = HangingDisk()
      let late = Task {
        try await store.onDisk { database in
          disk.hang()
          try deed(&database)
        }
      }
      await #expect(throws: ChappieThreadStoreError.timedOut) { try await late.value }
      disk.goOn()
      await store.forget()
      #expect(try await world.store().threads(ChappieThreadQuery(.all)) == before)
    }
    #expect(try await world.store().threads(ChappieThreadQuery()) == [world.store().thread("a").summary])
  }

  /// The number of this process's threads for blocking work.
  private static func threads() throws -> Int {
    let tasks = "/proc/self/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).count { task in
      (try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)) == "chappie-work\n"
    }
  }
}

private func expectUnavailable(_ access: ChappieFileThreadStore.Access) async {
  let error = await #expect(throws: ChappieThreadStoreError.self) { try await access() }
  #expect(error?.kind == "unavailable", "\(String(describing: error))")
}

/// The limit on the size of this process's files.
private enum FileLimit {
  static func set(_ length: Int?) {
    var limit = rlimit()
    getrlimit(kind, &limit)
    limit.rlim_cur = length.map { rlim_t($0) } ?? limit.rlim_max
    setrlimit(kind, &limit)
  }

  private static let kind = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
}

/// Permissions do not apply to root, and containers run tests as root.
private enum OtherUser {
  private static let id: UInt32 = 65_534

  static func become(ownerOf world: FileStoreWorld) throws {
    guard geteuid() == 0 else { return }
    for path in try [world.directory] + world.names.map({ world.path($0) }) { chown(path, id, id) }
    try #require(setegid(id) == 0 && seteuid(id) == 0)
  }
}

private final class HangingDisk: Sendable {
  private enum State {
    case idle, hanging, back
  }

  private let state = Mutex(State.idle)

  var isHanging: Bool { state.withLock { $0 == .hanging } }

  /// Blocks this thread until ``goOn()``.
  func hang() {
    state.withLock { if $0 == .idle { $0 = .hanging } }
    while state.withLock({ $0 != .back }) { usleep(1_000) }
  }

  func goOn() {
    state.withLock { $0 = .back }
  }
}

// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import GLibBridge
import Glibc
import SecretMemory
import Testing

@testable import ChappieSDKRuntime

/// Errors of the operating system. Each test runs in its own process, because limits and rights apply to a whole process.
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
          guard case .full = error else {
            Issue.record("\(String(describing: error))")
            return
          }
          #expect(try await writer.thread("a") == before, "\(more)")
          FileLimit.set(nil)
        }
        #expect(try await world.store().thread("a") == before, "\(more)")
      }
      FileLimit.set(0)
      await #expect(throws: ChappieThreadStoreError.self) { try await store.create(.sample("b")) }
      await #expect(throws: ChappieThreadStoreError.self) { try await store.change("a", .rename("b")) }
      await #expect(throws: ChappieThreadStoreError.self) { try await store.delete("a") }
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
      for operation in [
        { try await store.append(.sample("t2"), to: "a") }, { try await store.create(.sample("b")) },
        { try await store.change("a", .archive) }, { try await store.delete("a") },
      ] as [@Sendable () async throws -> Void] {
        try await expectUnavailable(operation)
      }
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
      for store in [world.store(), world.store()] {
        try await expectUnavailable { _ = try await store.thread("a") }
        try await expectUnavailable { try await store.append(.sample("t"), to: "a") }
      }
      chmod(world.directory, 0)
      for store in [known, world.store()] {
        try await expectUnavailable { _ = try await store.threads(ChappieThreadQuery()) }
        try await expectUnavailable { _ = try await store.thread("a") }
        try await expectUnavailable { try await store.create(.sample("b")) }
      }
      chmod(world.directory, 0o700)
      chmod(world.path("threads.db"), 0o600)
      #expect(try await known.thread("a").id == "a")
    }
  }
}

private func expectUnavailable(_ operation: () async throws -> Void) async throws {
  let error = await #expect(throws: ChappieThreadStoreError.self) { try await operation() }
  guard case .unavailable = error else {
    Issue.record("\(String(describing: error))")
    return
  }
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

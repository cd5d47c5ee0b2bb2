// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

@testable import ChappieSDKRuntime

/// Stores in several processes; some are killed.
struct ProcessTests {
  private let world = FileStoreWorld()
  private let key = SwitchedKey(SecretBytes([UInt8](repeating: 7, count: AEAD.keyLength)))

  @Test func aKilledProcessLosesNoStoredTurn() async throws {
    try await world.store(keys: key).create(.sample("a"))
    for _ in 1...4 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [directory = world.directory as String] in
        try await Writer(directory).writeUntilKilled()
      }
    }
    let noted = String(decoding: try world.bytes("noted"), as: UTF8.self).split(separator: "\n").map(String.init)
    let thread = try await world.store(keys: key).thread("a")
    let stored = Set(thread.turns.map(\.id))
    #expect(!noted.isEmpty)
    #expect(noted.allSatisfy { stored.contains($0) })
    // Each process may have stored one turn that it could not note any more.
    #expect(stored.count <= noted.count + 4)
    #expect(thread.turns.count == stored.count)
    let listed = try await world.store(keys: key).threads(ChappieThreadQuery())
    #expect(listed.map(\.turnCount) == [thread.turns.count])
    #expect(listed.map(\.bytes) == [thread.summary.bytes])
  }

  @Test func aKilledProcessRemovesATurnWhollyOrNot() async throws {
    let store = world.store(keys: key)
    try await store.create(.sample("a"))
    try await store.append(.sample("first"), to: "a")
    for _ in 1...4 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [directory = world.directory as String] in
        try await Writer(directory).replaceUntilKilled()
      }
      let thread = try await world.store(keys: key).thread("a")
      #expect(thread.damage.isEmpty)
      #expect(thread.turns.first?.id == "first" && thread.turns.count <= 2)
      #expect(thread.summary.turnCount == thread.turns.count)
      let bytes = try world.database().number("SELECT sum(length(content) + 128) + 128 FROM turns")
      #expect(bytes?.value == Int(thread.summary.bytes))
      if thread.turns.count == 2 { try await store.undoTurn(of: "a", asking: nil) }
    }
  }

  @Test func twoProcessesCanWriteToOneStore() async throws {
    try await world.store(keys: key).create(.sample("a"))
    async let other = #expect(processExitsWith: .success) { [directory = world.directory as String] in
      try await Writer(directory).write(30)
    }
    let store = world.store(keys: key)
    for number in 1...30 { try await store.append(.sample("own-\(number)"), to: "a") }
    _ = await other
    let thread = try await store.thread("a")
    #expect(thread.damage.isEmpty)
    #expect(thread.turns.count == 60)
    #expect(try await store.threads(ChappieThreadQuery()).map(\.turnCount) == [60])
  }

  /// Closing the store must not delete the log of a database that replaced its own.
  @Test func closingAStoreLeavesReplacedFilesAlone() async throws {
    var old: ChappieFileThreadStore? = world.store(keys: key)
    try await old?.create(.sample("a"))
    try world.database().run("PRAGMA wal_checkpoint(TRUNCATE)")
    for name in [DatabaseFiles.log, DatabaseFiles.sharedMemory] { try world.remove(name) }
    async let other = #expect(processExitsWith: .success) { [directory = world.directory as String] in
      do {
        try await Writer(directory).write(3)
        try Data().write(to: URL(filePath: directory + "/written"))
        try await eventually { access(directory + "/ended", F_OK) == 0 }
        #expect(access(directory + "/" + DatabaseFiles.log, F_OK) == 0)
        try await Writer(directory).write(3)
      } catch {
        Issue.record(error)
      }
    }
    try await eventually { access(world.path("written"), F_OK) == 0 }
    old = nil
    try world.write([], "ended")
    _ = await other
    #expect(try await world.store(keys: key).thread("a").turns.count == 6)
  }

  // MARK: Several stores in one process

  /// Many processes may start at the same time.
  @Test func manyStoresCanCreateTheDatabaseAtOnce() async throws {
    for _ in 1...10 {
      let world = FileStoreWorld()
      try await withThrowingTaskGroup { group in
        for writer in 0..<6 {
          group.addTask { try await world.store().create(.sample("w\(writer)")) }
        }
        try await group.waitForAll()
      }
      #expect(try await world.store().threads(ChappieThreadQuery()).count == 6)
    }
  }

  @Test func aWriteWaitsForAnotherWriteAndAReadDoesNot() async throws {
    let store = world.store(patience: .milliseconds(50))
    try await store.create(.sample("a"))
    let other = try world.database()
    try other.run("BEGIN IMMEDIATE")
    #expect(try await store.thread("a").id == "a")
    #expect(try await world.store().threads(ChappieThreadQuery()).count == 1)
    for access in store.writes {
      let error = await #expect(throws: ChappieThreadStoreError.self) { try await access() }
      #expect(error?.kind == "busy", "\(String(describing: error))")
    }
    try other.run("ROLLBACK")
    #expect(try await store.thread("a").turns.isEmpty)
    try await store.append(.sample("t"), to: "a")
  }

  /// If the files of an open database are gone or replaced, the store opens them again.
  @Test(arguments: ["moved", "replaced", "deleted"])
  func replacedFilesAreOpenedAgain(_ what: String) async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    try world.backUp(to: "copy")
    try await store.append(.sample("t1"), to: "a")
    switch what {
    case "moved":
      let beside = try world.names.filter { $0.hasPrefix("threads.db") }
      for name in beside { #expect(rename(world.path(name), world.path("moved-" + name)) == 0) }
      #expect(try await store.threads(ChappieThreadQuery()).isEmpty)
    case "replaced":
      for name in ["threads.db-wal", "threads.db-shm"] { try world.remove(name) }
      #expect(rename(world.path("copy"), world.path("threads.db")) == 0)
      #expect(try await store.thread("a").turns.isEmpty)
    default:
      try await world.store().deleteAll()
      #expect(try await store.threads(ChappieThreadQuery()).isEmpty)
    }
    let other = world.store()
    try await other.create(.sample("b"))
    try await store.append(.sample("t2"), to: "b")
    #expect(try await other.thread("b").turns.map(\.id) == ["t2"])
  }
}

/// The work of the other process.
private struct Writer {
  private let directory: String
  private let store: ChappieFileThreadStore

  init(_ directory: String) {
    self.directory = directory
    let key = SwitchedKey(SecretBytes([UInt8](repeating: 7, count: AEAD.keyLength)))
    store = ChappieFileThreadStore(
      directory: directory, device: { "d0" }, keys: key, retention: .unlimited, patience: patience,
      diskDeadline: patience * 2, round: nil)
  }

  func write(_ count: Int) async throws {
    for number in 1...count { try await store.append(.sample("\(getpid())-\(number)"), to: "a") }
  }

  private static func killThisProcess(after microseconds: UInt32) {
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
  }

  /// Adds a turn and removes it, again and again.
  func replaceUntilKilled() async throws {
    Self.killThisProcess(after: UInt32.random(in: 20_000...90_000))
    for number in 1... {
      try await store.append(.sample("\(number)"), to: "a")
      try await store.undoTurn(of: "a", asking: nil)
    }
  }

  /// Writes the number of each turn to a file after the turn was stored.
  func writeUntilKilled() async throws {
    let notes = open(directory + "/noted", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let life = UInt32.random(in: 5_000...60_000)
    var isStarted = false
    for number in 1... {
      let id = "\(getpid())-\(number)"
      try await store.append(.sample(id), to: "a")
      _ = (id + "\n").utf8.withContiguousStorageIfAvailable { Glibc.write(notes, $0.baseAddress, $0.count) }
      if !isStarted {
        isStarted = true
        Self.killThisProcess(after: life)
      }
    }
  }
}

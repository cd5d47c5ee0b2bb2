// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Platform
import SQLite
import SecretMemory
import TestSupport
import Testing

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
      try await Writer(directory).write(3)
      try Data().write(to: URL(filePath: directory + "/written"))
      try await eventually { access(directory + "/ended", F_OK) == 0 }
      #expect(access(directory + "/" + DatabaseFiles.log, F_OK) == 0)
      try await Writer(directory).write(3)
    }
    try await eventually { access(world.path("written"), F_OK) == 0 }
    old = nil
    try world.write([], "ended")
    _ = await other
    #expect(try await world.store(keys: key).thread("a").turns.count == 6)
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
      directory: directory, device: { "d0" }, keys: key, retention: .unlimited, patience: .seconds(20), round: nil)
  }

  func write(_ count: Int) async throws {
    for number in 1...count { try await store.append(.sample("\(getpid())-\(number)"), to: "a") }
  }

  /// Adds a turn and removes it, again and again.
  func replaceUntilKilled() async throws {
    Thread.kill(after: UInt32.random(in: 20_000...90_000))
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
        Thread.kill(after: life)
      }
    }
  }
}

private enum Thread {
  /// Kills this process from another thread after a delay.
  static func kill(after microseconds: UInt32) {
    var thread = pthread_t()
    let life = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    life.pointee = microseconds
    pthread_create(
      &thread, nil,
      { life in
        usleep(life?.load(as: UInt32.self) ?? 0)
        Glibc.kill(getpid(), SIGKILL)
        return nil
      }, life)
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation
import GLibBridge
import Synchronization
import TestSupport
import Testing

@testable import ChappieSDKRuntime

/// A disk that does not answer.
struct HangingDiskTests {
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
      #expect(try Self.threads() == 1)
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

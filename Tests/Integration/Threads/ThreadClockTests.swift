// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// Stored threads on a machine whose clock leaps.
@Suite(.worlds, .enabled(if: LeapingClock.library != nil, "libfaketime is not installed")) @GLibActor
struct ThreadClockTests {
  @Test func aClockThatIsAheadDeletesNoArchivedThread() async throws {
    try await World.with { world in
      let clock = try LeapingClock(of: world)
      try await world.service.restart()
      let caller = try await world.signedInCaller()
      let threads = [try await caller.createThread("One"), try await caller.createThread("Two")]
      try await caller.call("Threads.Archive", threads[0])
      let all = { try await Set(caller.threadIDs(["archived": true]) + caller.threadIDs()) }
      for days in [61, 1000, 61] {
        try clock.leap(days: days)
        #expect(try await all() == Set(threads), "\(days) days")
        // The backend tells its own time.
        try await caller.call("Client.ListModels", VariantDictionary())
        #expect(try await all() == Set(threads), "\(days) days, after an answer")
        try await world.service.restart()
        #expect(try await all() == Set(threads), "\(days) days, after a restart")
      }
      try clock.leap(days: 0)
      #expect(try await all() == Set(threads))
    }
  }
}

/// The clock of a world's service.
@GLibActor
struct LeapingClock {
  /// The library that gives a process another time.
  nonisolated static let library = ["/usr/lib", "/usr/lib64"].lazy.flatMap { directory in
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return ([""] + names).map { "\(directory)/\($0)/faketime/libfaketimeMT.so.1" }
  }.first { FileManager.default.fileExists(atPath: $0) }

  private let file: URL

  /// The service has this clock from its next start on.
  init(of world: World) throws {
    file = world.directories.root.appending(path: "clock")
    try leap(days: 0)
    world.service.environment.merge([
      "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": file.path, "FAKETIME_NO_CACHE": "1",
      "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    ]) { $1 }
  }

  /// Sets the clock so many days ahead.
  func leap(days: Int) throws {
    try "+\(days)d".write(to: file, atomically: true, encoding: .utf8)
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// Stored threads on a disk that becomes full.
@Suite(.worlds, .enabled(if: ServiceProcess.mayHaveADisk)) @GLibActor
struct ThreadDiskTests {
  private func fill(_ disk: URL) throws {
    let file = disk.appending(path: "filler")
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    _ = try handle.seekToEnd()
    for size in [65_536, 4_096, 1] {
      while (try? handle.write(contentsOf: Data(count: size))) != nil {}
    }
    try handle.close()
  }

  private func store(_ texts: [Int], in caller: Caller, _ world: World) async throws -> String {
    let thread = try await caller.createThread()
    for length in texts {
      try await world.sandbox.play(
        #"[{"endpoint":"responses","events":["#
          + #"{"type":"response.created","response":{"id":"r"}},"#
          + #"{"type":"response.output_text.delta","delta":"\#(String(repeating: "x", count: length))"},"#
          + #"{"type":"response.completed","response":{"id":"r"}}]}]"#)
      #expect(try await caller.send("Go on", to: thread).count == length)
    }
    return thread
  }

  /// A thread of small turns, one with a turn that is larger than the room of a deletion, and one that stays.
  @Test func eachThreadCanBeDeletedOnAFullDisk() async throws {
    try await World.with(World.Plan(service: .none, transport: .http)) { world in
      let directory = world.directories.data.appending(path: "chappie/threads")
      world.service.disk = (directory, megabytes: 20)
      try await world.service.start(world.sandbox.addresses)
      let caller = try await world.signedInCaller()
      // The service has the disk in a mount namespace of its own.
      let disk = URL(filePath: "/proc/\(try #require(world.service.process).id)/root").appending(path: directory.path)
      let long = try await store(Array(repeating: 100_000, count: 20), in: caller, world)
      let large = try await store([3_000_000], in: caller, world)
      let kept = try await store([10], in: caller, world)
      for thread in [long, large] {
        try fill(disk)
        // The log may still have room.
        while (try? await caller.send("One more", to: kept)) != nil {}
        try await expectRefusal("StoreFull") { try await caller.send("One more", to: kept) }
        try await caller.call("Threads.Delete", thread)
      }
      #expect(try await caller.threadIDs() == [kept])
      #expect(try await caller.thread(kept).damage.isEmpty)
      #expect(try await caller.send("One more", to: kept).contains("One more"))
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import Platform
import SQLite

/// A number in the database of the threads that cannot be true is damage of its thread alone.
@Suite(.worlds) @GLibActor
struct DamagedNumberTests {
  private static let extremes: [Int64] = [.min, .min + 1, -1, 1 << 53, 1 << 53 + 1, .max - 1, .max]

  private func database(_ world: World) throws -> Database {
    let name = try #require(try world.directories.files().keys.first { $0.hasSuffix("/threads.db") })
    return try Database(world.directories.root.appending(path: name).path, busyTimeout: .seconds(10))
  }

  /// The thread with the damage is told apart, read and continued as far as it goes, and the other one is whole.
  @Test func aThreadWithADamagedNumber() async throws {
    let changes: [StaticString] = [
      "UPDATE threads SET title_number = ? WHERE id = ?", "UPDATE threads SET created_at = ? WHERE id = ?",
      "UPDATE threads SET updated_at = ? WHERE id = ?", "UPDATE threads SET archived_at = ? WHERE id = ?",
      "UPDATE threads SET change_number = ? WHERE id = ?", "UPDATE threads SET turn_count = ? WHERE id = ?",
      "UPDATE threads SET bytes = ? WHERE id = ?",
    ]
    let (world, caller) = try await World.signedIn()
    try await world.each(changes) { change in
      let other = try await caller.createThread("Whole")
      let thread = try await caller.createThread("Harmed")
      #expect(try await caller.send("one", to: thread).contains("one"))
      let database = try database(world)
      for (place, value) in Self.extremes.enumerated() {
        try database.run(change, .integer(value), .text(thread))
        let listed = try await caller.threadIDs() + caller.threadIDs(["archived": true])
        #expect(Set(listed) == [thread, other] && listed.count == 2, "\(value)")
        #expect(try await caller.thread(other).damage.isEmpty)
        let read = try await caller.thread(thread)
        #expect(read.turns.count == place + 1, "\(value)")
        // Times are microseconds: the end of the year 9999 is far above 2^53.
        let most: Int64 = change.description.contains("_at") ? 253_402_300_799_999_999 : 1 << 53
        if !(0...most).contains(value) { #expect(read.damage.contains { $0.offset == 0 }, "\(value)") }
        let usage = try await caller.call("Threads.GetUsage").member(0, "usage", as: VariantDictionary.self)
        #expect(try usage.value("used_bytes", as: UInt64.self) ?? .max < 100_000, "\(value)")
        let last = try await caller.createThread("Next")
        try await caller.call("Threads.Delete", last)
        #expect(try await caller.send("again", to: thread).contains("again"), "\(value)")
      }
      try await caller.call("Threads.DeleteAll")
      #expect(try await caller.threads().isEmpty)
    }

    // The place and the time of a turn.
    let thread = try await caller.createThread("Harmed")
    for text in ["one", "two"] { _ = try await caller.send(text, to: thread) }
    let opened = try database(world)
    for value in Self.extremes where value != 1 << 53 {
      try opened.run("UPDATE turns SET sequence = ? WHERE id = (SELECT max(id) FROM turns)", .integer(value))
      let read = try await caller.thread(thread)
      #expect(read.turns.count == 1 && !read.damage.isEmpty, "\(value)")
    }
    for value in Self.extremes {
      try opened.run("UPDATE turns SET recorded_at = ? WHERE id = (SELECT min(id) FROM turns)", .integer(value))
      let read = try await caller.thread(thread)
      #expect(read.turns.isEmpty && !read.damage.isEmpty, "\(value)")
    }
    #expect(try await caller.send("three", to: thread).contains("three"))
    #expect(try await caller.thread(thread).turns.count == 1)
  }

  /// The sizes of all threads together are more than 64 bits hold.
  @Test func erasingOpensNothing() async throws {
    let (world, caller) = try await World.signedIn()
    for title in ["One", "Two"] { _ = try await caller.createThread(title) }
    await world.service.end()
    try database(world).run("UPDATE threads SET bytes = ?, change_number = ?", .integer(.max), .integer(.max))
    try database(world).run("UPDATE threads SET turn_count = ?, updated_at = ?", .integer(.min), .integer(.min))
    try await world.service.start(world.sandbox.addresses)
    let output = try await world.chappie("erase", "--yes")
    #expect(output.status == 0, "\(output.text)")
    #expect(try world.directories.files().keys.allSatisfy { !$0.hasSuffix("/threads.db") })
    world.service.acceptEnd()
  }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import SQLite
import Testing

/// `chappie threads` with all threads, and with unreadable threads.
@Suite(.worlds) @GLibActor
struct ThreadCallTests {
  @Test func allAreDeletedAtOnce() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let one = try await caller.createThread("One")
      let two = try await caller.createThread("Two")
      try await caller.call("Threads.Archive", two)
      #expect(try await world.chappie("threads", "delete", "--all").status == 2)
      let question = "Delete every thread of this account, and their key, for good? [y/N] "
      try await world.chappie("threads", "delete", "--all", at: [.sees(question), .types("\n")])
        .expect(1, "Nothing was deleted.")
      #expect(try await caller.threadIDs() == [one])

      try await world.chappie("threads", "delete", "--all", at: [.sees(question), .types("y\n")]).expect(0)
      #expect(try await caller.threads().isEmpty)
      #expect(try await caller.threads(["archived": true]).isEmpty)
      #expect(try await world.keyring.items("org.chappie.ThreadKey").isEmpty)
      try await caller.catchUp()
      #expect(try Set(caller.threadChanges().suffix(2)) == ["\(one) deleted", "\(two) deleted"])
      let unasked = try await world.chappie("threads", "delete", "--all", "--yes")
      #expect(unasked.text == "Deleted every thread, and their key.\n")
    }
  }

  /// When the key is gone and nothing can be read, or the database is damaged, `delete --all` still works.
  @Test func unreadableThreadsAreReportedAndCanBeDeleted() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let lost = try await caller.createThread("One")
      _ = try await caller.createThread("Two")
      await world.service.end()
      let database = try Database(threadDatabase(in: world), busyTimeout: .seconds(10))
      try database.run("UPDATE threads SET title = zeroblob(60) WHERE id = ?", .text(lost))
      try await world.service.start(world.sandbox.addresses)
      let usage = try await world.chappie("threads", "usage").text
      #expect(usage.contains("1 cannot be read on this device: chappie threads delete --all removes it too\n"))
      #expect(try await world.chappie("threads", "usage", "--json").text.contains(#""unreadable_count":1"#))

      await world.service.end()
      let cleared = try await world.run("secret-tool", "clear", "xdg:schema", "org.chappie.ThreadKey")
      #expect(cleared.status == 0)
      try await world.service.start(world.sandbox.addresses)
      let gone = try await world.chappie("threads")
      #expect(gone.text.contains("The key of the stored threads is missing"))
      #expect(gone.status != 0)
      #expect(try await world.chappie("threads", "delete", "--all", "--yes").status == 0)
      #expect(try await caller.createThread("Anew").count == 36)
      #expect(try await caller.threads().count == 1)

      await world.service.end()
      let noise = Data((0..<20_000).map { _ in UInt8.random(in: 0...255) })
      try noise.write(to: URL(filePath: threadDatabase(in: world)))
      try await world.service.start(world.sandbox.addresses)
      for verb in [["threads"], ["threads", "usage"]] {
        let refused = try await world.chappie(verb)
        #expect(refused.status != 0)
        #expect(refused.text.contains("is damaged and was not changed"), "\(refused.text)")
      }
      #expect(try Data(contentsOf: URL(filePath: threadDatabase(in: world))) == noise)
      #expect(try await world.chappie("threads", "delete", "--all", "--yes").status == 0)
      #expect(try await caller.threads().isEmpty)
    }
  }

  private func threadDatabase(in world: World) throws -> String {
    let name = try #require(try world.directories.files().keys.first { $0.hasSuffix("/threads.db") })
    return world.directories.root.appending(path: name).path
  }
}

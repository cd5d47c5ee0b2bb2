import Foundation
import GLibBridge
import Testing

/// `chappie threads` with a thread's whole id, with all threads, and with what cannot be read.
@Suite(.worlds) @GLibActor
struct ThreadCallTests {
  @Test func aWholeIDIsEnough() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let thread = try await caller.createThread("One")
      let short = thread.prefix(8)
      #expect(try await world.chappie("threads", "archive", thread).text == "Archived \(short).\n")
      #expect(try await caller.threadIDs(["archived": true]) == [thread])
      #expect(try await world.chappie("threads", "delete", "--yes", thread).text == "Deleted \(short).\n")
      #expect(try await caller.threadIDs(["archived": true]).isEmpty)
      let unknown = try await world.chappie("threads", "archive", thread)
      #expect(unknown.text == "chappie: There is no such thread: see chappie threads, also with --archived.\n")
      #expect(unknown.status == 1)
    }
  }

  @Test func allAreDeletedAtOnce() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let one = try await caller.createThread("One")
      let two = try await caller.createThread("Two")
      try await caller.call("Threads.Archive", two)
      #expect(try await world.chappie("threads", "delete", "--all").status == 2)
      let both = try await world.chappie("threads", "delete", "--all", "--yes", one)
      #expect(both.text == "chappie: --all and a thread exclude each other.\n")
      #expect(both.status == 2)
      let question = "Delete every thread of this account, and the key that they are sealed with, for good? [y/N] "
      let refused = try await world.chappie("threads", "delete", "--all", at: [.sees(question), .types("\n")])
      #expect(refused.text.contains("Nothing was deleted."))
      #expect(refused.status == 1)
      #expect(try await caller.threadIDs() == [one])

      let agreed = try await world.chappie("threads", "delete", "--all", at: [.sees(question), .types("y\n")])
      #expect(agreed.status == 0, "\(agreed.text)")
      #expect(try await caller.threads().isEmpty)
      #expect(try await caller.threads(["archived": true]).isEmpty)
      #expect(try await world.keyring.items("org.chappie.ThreadKey").isEmpty)
      try await caller.catchUp()
      #expect(try Set(caller.threadChanges().suffix(2)) == ["\(one) deleted", "\(two) deleted"])
      let unasked = try await world.chappie("threads", "delete", "--all", "--yes")
      #expect(unasked.text == "Deleted every thread, and the key that they were sealed with.\n")
    }
  }

  /// Also where the key is gone, which makes all of it unreadable: that is the way out.
  @Test func whatCannotBeReadIsToldAndDeleted() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let lost = try await caller.createThread("One")
      _ = try await caller.createThread("Two")
      await world.service.end()
      let name = try #require(try world.directories.files().keys.first { $0.contains(lost) })
      try Data(repeating: 7, count: 500).write(to: world.directories.root.appending(path: name))
      try await world.service.start(world.sandbox.addresses)
      let usage = try await world.chappie("threads", "usage").text
      #expect(usage.contains("1 cannot be read on this device: chappie threads delete --all removes it too\n"))
      #expect(try await world.chappie("threads", "usage", "--json").text.contains(#""unreadable_count":1"#))

      await world.service.end()
      let cleared = try await world.run("secret-tool", "clear", "xdg:schema", "org.chappie.ThreadKey")
      #expect(cleared.status == 0)
      try await world.service.start(world.sandbox.addresses)
      let gone = try await world.chappie("threads")
      #expect(gone.text.contains("The key of the stored threads is gone"))
      #expect(gone.status != 0)
      #expect(try await world.chappie("threads", "delete", "--all", "--yes").status == 0)
      #expect(try await caller.createThread("Anew").count == 36)
      #expect(try await caller.threads().count == 1)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import SQLite

/// `chappie threads`: listing and changing threads.
@Suite(.worlds) @GLibActor
struct ThreadsCommandTests {
  @Test func threadsAreListed() async throws {
    let (world, _) = try await World.signedIn()
    #expect(
      try await world.chappie("threads").text == "There are no threads: chappie ask --thread new begins one.\n")
    #expect(try await world.chappie("threads", "--archived").text == "No thread is archived.\n")
    let first = try await world.beginThread("Name three rivers.")
    let second = try await world.beginThread("名前は何ですか。")
    _ = try await world.chappie("ask", "--thread", first, "And two more.")

    let listed = try await world.listedThreads()
    #expect(Set(listed.map(\.id)) == [first, second])
    let rivers = try #require(listed.first { $0.id == first })
    #expect(rivers.title == "Name three rivers.")
    #expect(rivers.turnCount == 2)
    #expect(!rivers.archived)
    #expect(rivers.bytes > 0)
    #expect(rivers.updatedAt >= rivers.createdAt)

    let table = try await world.chappie("threads", "list").text.split(separator: "\n")
    #expect(table.count == 3)
    #expect(table[0].hasPrefix("THREAD    TITLE               CHANGED"), "\(table[0])")
    #expect(table.contains { $0.hasPrefix("\(rivers.short)  Name three rivers.  ") && $0.contains("  2      ") })
    // Each of these characters takes two columns.
    #expect(table.contains { $0.hasPrefix("\(second.prefix(8))  名前は何ですか。    ") })
    let one = try await world.chappie("threads", "--json", "--limit", "1")
    #expect(one.text.split(separator: "\n").count == 1)
  }

  @Test func threadsAreSearched() async throws {
    let (world, _) = try await World.signedIn()
    let rivers = try await world.beginThread("Name three rivers.")
    _ = try await world.chappie("threads", "rename", rivers, "Water")
    let bus = try await world.beginThread("What is a bus?\n\(String(repeating: "word ", count: 50))Tail")
    let found = try await world.chappie("threads", "search", "SAID", "rivers").text.split(separator: "\n")
    #expect(found.count == 2 && found[0].hasPrefix("\(rivers.prefix(8))  ") && found[0].hasSuffix("  Water"))
    #expect(found.last == "  You said: “Name three rivers.” This conversation has 1 message.")
    #expect(try await world.chappie("threads", "search", "tail").text.contains("word Tail"))
    let titled = try await world.chappie("threads", "search", "--json", "water").text
    #expect(titled.hasPrefix(#"{"id":"\#(rivers)","title":"Water","#) && !titled.contains(#""line""#))
    let both = try await world.chappie("threads", "search", "--json", "conversation").text.split(separator: "\n")
    #expect(both.count == 2 && both[0].contains(bus) && both[1].contains(rivers))
    #expect(both.allSatisfy { $0.contains(#","line":"You said: "#) || $0.contains("This conversation") })
    let one = try await world.chappie("threads", "search", "--json", "--limit", "1", "conversation")
    #expect(one.text.split(separator: "\n").count == 1)
    #expect(try await world.chappie("threads", "search", "rivers", "bus").text == "No thread has these words.\n")
    #expect(try await world.chappie("threads", "search", " ").status == 2)
    try await world.keyring.lock()
    let shown = try await world.chappie("threads", "show", "last")
    let searched = try await world.chappie("threads", "search", "rivers")
    #expect(searched.status == 4 && searched.text == shown.text, "\(searched.text)")
  }

  /// The texts of old threads are not read, and a list may be longer than one reply.
  @Test func manyThreadsAreListedAndSearched() async throws {
    let (world, caller) = try await World.signedIn()
    _ = try await world.beginThread("Name three rivers.")
    for _ in 0..<200 { try await caller.call("Threads.Create", ["title": "Lakes"] as VariantDictionary) }
    try await world.chappie("threads", "search", "said")
      .expect(
        only: """
          No thread has these words.
          1 thread was searched by its title alone: it is too old or too large.

          """)
    // A terminal shows the progress.
    try await world.chappie(
      "threads", "export", "--all", "-o", "all", at: [.sees(" of 201: Lakes"), .sees("Wrote 201 threads to all.")]
    ).expect(0)
    for number in 0..<250 {
      try await caller.call("Threads.Create", ["title": "Number \(number)"] as VariantDictionary)
    }
    let listed = try await world.listedThreads()
    #expect(listed.count == 451 && Set(listed.map(\.id)).count == 451)
    let some = try await world.chappie("threads", "--json", "--limit", "250")
    #expect(some.text.split(separator: "\n").count == 250)
  }

  @Test func threadsAreRenamedAndCompacted() async throws {
    let (world, caller) = try await World.signedIn()
    let thread = try await world.beginThread("one")
    try await world.chappie("threads", "rename", thread, "Big", "rivers").expect(only: "Renamed to “Big rivers”.\n")
    #expect(try await world.listedThreads().map(\.title) == ["Big rivers"])
    #expect(try await world.chappie("threads", "rename", thread, "").text == "The next message names the thread.\n")
    #expect(try await world.listedThreads().map(\.title) == [""])
    #expect(try await world.chappie("threads").text.contains("  Untitled  "))
    _ = try await world.chappie("ask", "--thread", thread, "two")
    #expect(try await world.listedThreads().map(\.title) == ["two"])

    #expect(try await world.chappie("threads", "rename", thread, "a\u{1B}b").status == 1)
    // A long title is truncated only in the table.
    let title = Array(repeating: "river", count: 170).joined(separator: " ")
    _ = try await caller.createThread(title)
    let rows = try await world.chappie("threads").text.split(separator: "\n")
    #expect(rows[1].contains("  " + title.prefix(59) + "…  "), "\(rows[1])")
    #expect(try await world.listedThreads().map(\.title) == [title, "two"])

    // A thread is compacted.
    let long = try await world.beginThread("My name is Ada.")
    let written = try await world.chappie("threads", "compact", long, "The user", "is Ada.")
    #expect(written.text == "The model reads a summary from now on.\n")
    let asked = try await world.chappie("ask", "--thread", long, "Who am I?")
    #expect(asked.text == "You said: “Who am I?” This conversation has 1 message.\n")
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"She asked."}]"#)
    #expect(try await world.chappie("threads", "compact", long).status == 0)
    let shown = try await world.chappie("threads", "show", long).text
    #expect(shown.contains("\nSummary\n  The user is Ada.\n"))
    #expect(shown.contains("\nSummary\n  She asked.\n"))
    #expect(shown.contains("  My name is Ada.\n"))
    // There is nothing new to compact.
    #expect(try await world.chappie("threads", "compact", long).status == 1)
  }

  @Test func threadsAreArchivedAndUnarchivedAndTheirSpaceIsShown() async throws {
    let (world, _) = try await World.signedIn()
    let first = try await world.beginThread("one")
    let second = try await world.beginThread("two")
    let archived = try await world.chappie("threads", "archive", first, second, first)
    #expect(archived.text == "Archived \(first.prefix(8)).\nArchived \(second.prefix(8)).\n")
    #expect(try await world.listedThreads().isEmpty)
    #expect(Set(try await world.listedThreads(archived: true).map(\.id)) == [first, second])
    #expect(try await world.listedThreads(archived: true).allSatisfy(\.archived))
    // An archived thread stays readable.
    #expect(try await world.chappie("threads", "show", first).text.contains(", archived "))
    #expect(
      try await world.chappie("threads", "unarchive", first.prefix(20).description).text == "Unarchived “one”.\n")
    let bytes = try await (world.listedThreads() + world.listedThreads(archived: true)).reduce(0) { $0 + $1.bytes }
    let json = try await world.chappie("threads", "usage", "--json")
    #expect(json.text.hasPrefix(#"{"used_bytes":\#(bytes),"limit_bytes":268435456,"#), "\(json.text)")
    #expect(json.text.contains(#","thread_count":2,"archived_count":1"#))
    let lines = try await world.chappie("threads", "usage").text.split(separator: "\n")
    #expect(lines[0].hasPrefix("█░░░░░░░░░░░░░░░░░░░    1%  "), "\(lines)")
    #expect(lines[0].hasSuffix(" of 256 MiB"))
    #expect(lines[1] == "2 threads, 1 archived")
    // The archived one stays first, although another changed later.
    #expect(try await world.chappie("threads", "unarchive", "last").text == "Unarchived “two”.\n")
    #expect(try await world.chappie("threads", "unarchive", "last").text == "chappie: No thread is archived.\n")
    #expect(try await world.listedThreads().count == 2)
  }

  @Test func deletingAsksForConfirmation() async throws {
    let (world, _) = try await World.signedIn()
    let thread = try await world.beginThread("one")
    try await world.chappie("threads", "delete", thread).expect(2, "--yes")
    try await world.chappie(
      "threads", "delete", thread, at: [.sees("Delete “one” for good? [y/N] "), .types("\n")]
    )
    .expect(1, "Nothing was deleted.")
    #expect(try await world.listedThreads().count == 1)
    try await world.chappie(
      "threads", "delete", thread,
      at: [.sees("Delete “one” for good? [y/N] "), .types("y\n"), .sees("Deleted \(thread.prefix(8)).")]
    ).expect(0)
    #expect(try await world.listedThreads().isEmpty)

    try await world.chappie("threads", "archive", thread)
      .expect(1, only: "chappie: There is no such thread: see chappie threads, also with --archived.\n")

    let others = [try await world.beginThread("two"), try await world.beginThread("three")]
    // The command deletes all threads or none.
    try await world.chappie("threads", "delete", "--yes", others[0], "nonsense").expect(1)
    #expect(try await world.listedThreads().count == 2)
    let both = try await world.chappie("threads", "delete", "--yes", others[0], others[1])
    #expect(both.text == "Deleted \(others[0].prefix(8)).\nDeleted \(others[1].prefix(8)).\n")
    #expect(try await world.listedThreads().isEmpty)
  }

  // MARK: All threads, and unreadable ones

  @Test func allAreDeletedAtOnce() async throws {
    let world = try await World.begin()
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

  /// When the key is gone and nothing can be read, or the database is damaged, `delete --all` still works.
  @Test func unreadableThreadsAreReportedAndCanBeDeleted() async throws {
    let world = try await World.begin()
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

  private func threadDatabase(in world: World) throws -> String {
    let name = try #require(try world.directories.files().keys.first { $0.hasSuffix("/threads.db") })
    return world.directories.root.appending(path: name).path
  }
}

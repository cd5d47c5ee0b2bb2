// SPDX-License-Identifier: Apache-2.0

/// `org.chappie.Threads`: listing and changing stored threads.
@Suite(.worlds) @GLibActor
struct ThreadListTests {
  @Test func aThreadIsListedRenamedArchivedAndDeleted() async throws {
    let (world, caller) = try await World.signedIn()
    let watcher = try await world.caller()
    let client = try await caller.open("Client")
    let elsewhere = try await caller.open("Client", ["keychain_account": "other"])
    let other = try await caller.createThread(at: elsewhere)
    #expect(try await caller.threads().isEmpty)
    let one = try await caller.createThread("First")
    let two = try await caller.createThread()
    _ = try await caller.send("Second things", to: two)

    let listed = try await caller.threads()
    #expect(Set(listed.map { $0.text("title") }) == ["First", "Second things"])
    let untitled = try await caller.threads(["titles": false])
    #expect(untitled.map { $0.text("id") } == listed.map { $0.text("id") })
    #expect(untitled.allSatisfy { $0["title"] == nil })
    let second = try #require(listed.first { $0.text("id") == two })
    #expect(try second.value("turn_count", as: UInt32.self) == 1)
    #expect(try second.value("archived", as: Bool.self) == false)
    #expect(try second.value("bytes", as: UInt64.self) ?? 0 > 100)
    #expect(try second.value("created_at", as: Int64.self) ?? 0 > 1_700_000_000)

    try await caller.call("Threads.Rename", one, "Grüße aus 東京")
    try await caller.call("Threads.Archive", one)
    try await caller.call("Threads.Archive", one)
    #expect(try await caller.threadIDs() == [two])
    #expect(try await caller.threads(["archived": true]).map { $0.text("title") } == ["Grüße aus 東京"])
    #expect(try await caller.thread(one).summary.archivedAt != nil)
    let usage = try await caller.call("Threads.GetUsage").member(0, "usage", as: VariantDictionary.self)
    let all = try await caller.threads() + caller.threads(["archived": true])
    #expect(
      try usage.value("used_bytes", as: UInt64.self)
        == all.reduce(0) { $0 + (try $1.value("bytes", as: UInt64.self) ?? 0) })
    #expect(try usage.value("limit_bytes", as: UInt64.self) == 256 << 20)
    #expect(try usage.value("thread_count", as: UInt32.self) == 2)
    #expect(try usage.value("archived_count", as: UInt32.self) == 1)
    #expect(try usage.value("unreadable_count", as: UInt32.self) == 0)

    try await caller.call("Threads.Unarchive", one)
    #expect(try await Set(caller.threadIDs()) == [one, two])
    // A turn unarchives its thread, and moves it to the top.
    try await caller.call("Threads.Archive", one)
    _ = try await caller.send("Hello", to: one)
    #expect(try await caller.threadIDs() == [one, two])
    try await caller.call("Threads.Delete", one)
    #expect(try await caller.threadIDs() == [two])
    try await expectRefusal("NoSuchThread") { try await caller.thread(one) }

    try await watcher.catchUp()
    try await caller.catchUp()
    #expect(
      try watcher.threadChanges() == [
        "\(one) created", "\(two) created", "\(two) renamed", "\(two) updated", "\(one) renamed", "\(one) archived",
        "\(one) unarchived", "\(one) archived", "\(one) unarchived", "\(one) updated", "\(one) deleted",
      ])
    // Each object of the account has the signals. Those of an opened client go to its opener alone.
    #expect(try caller.threadChanges(at: client) == watcher.threadChanges())
    #expect(try caller.threadChanges(at: elsewhere) == ["\(other) created"])
    #expect(Set(watcher.signals("ThreadChanged").map(\.path)) == [.chappie])
  }

  @Test func pagesFollowEachOther() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    var made: [String] = []
    for number in 0..<7 { made.insert(try await caller.createThread("Thread \(number)"), at: 0) }
    var pages: [[String]] = []
    var filter: VariantDictionary = ["limit": UInt32(3)]
    while let last = try await caller.threads(filter).last {
      pages.append(try await caller.threadIDs(filter))
      filter.set("cursor", last.text("cursor"))
    }
    #expect(pages.map(\.count) == [3, 3, 1])
    #expect(Array(pages.joined()) == made)
  }

  // MARK: Bad input

  @Test func invalidArgumentsAreRefused() async throws {
    let (world, caller) = try await World.signedIn()
    let thread = try await caller.createThread()
    let long = String(repeating: "a", count: 1025)
    let calls: [@GLibActor () async throws -> Void] = [
      { _ = try await caller.threads(["limit": UInt32(0)]) }, { _ = try await caller.threads(["limit": "3"]) },
      { _ = try await caller.threads(["archived": "yes"]) }, { _ = try await caller.threads(["cursor": true]) },
      { _ = try await caller.threads(["cursor": "nonsense"]) }, { _ = try await caller.threads(["cursor": "a.b.c"]) },
      { _ = try await caller.createThread(long) }, { _ = try await caller.createThread("two\nlines") },
      { try await caller.call("Threads.Rename", thread, long) }, { _ = try await caller.send("", to: thread) },
      { _ = try await caller.send("hi", to: thread, ["model": UInt32(3)]) },
    ]
    for call in calls { #expect(try await refusal(of: call).name == "InvalidArgument") }
    #expect(try await caller.thread(thread).turns.isEmpty)

    for id in ["", "../../../../etc/passwd", String(repeating: "a", count: 100_000)] {
      let calls: [@GLibActor () async throws -> Void] = [
        { _ = try await caller.thread(id) }, { _ = try await caller.send("hi", to: id) },
        { try await caller.call("Threads.Rename", id, "title") }, { try await caller.call("Threads.Archive", id) },
        { try await caller.call("Threads.Unarchive", id) }, { try await caller.call("Threads.Delete", id) },
        { try await caller.call("Threads.Compact", id, "summary") },
        { try await caller.call("Threads.UndoTurn", id, [:] as VariantDictionary) },
      ]
      for call in calls { #expect(try await refusal(of: call).name == "NoSuchThread", "\(id.prefix(30))") }
      #expect(try await caller.stream("hi", to: id).end().failure.name == "NoSuchThread")
    }
    #expect(try await world.sandbox.state().requests["responses"] ?? 0 == 0)
    #expect(try await caller.threads().count == 1)
  }
}

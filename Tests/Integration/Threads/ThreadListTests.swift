// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `org.chappie.Threads`: listing and changing stored threads.
@Suite(.worlds) @GLibActor
struct ThreadListTests {
  @Test func aThreadIsListedRenamedArchivedAndDeleted() async throws {
    try await World.signedIn { world, caller in
      let watcher = try await world.caller()
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
      try await caller.call("Threads.Unarchive", one)
      #expect(try await Set(caller.threadIDs()) == [one, two])
      try await caller.call("Threads.Delete", one)
      #expect(try await caller.threadIDs() == [two])
      try await expectRefusal("NoSuchThread") { try await caller.thread(one) }

      try await watcher.catchUp()
      #expect(
        try watcher.threadChanges() == [
          "\(one) created", "\(two) created", "\(two) renamed", "\(two) updated", "\(one) renamed", "\(one) archived",
          "\(one) unarchived", "\(one) deleted",
        ])
    }
  }

  @Test func pagesFollowEachOther() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      var made: Set<String> = []
      for number in 0..<7 { made.insert(try await caller.createThread("Thread \(number)")) }
      var pages: [[String]] = []
      var filter: VariantDictionary = ["limit": UInt32(3)]
      while true {
        let page = try await caller.threads(filter)
        guard let last = page.last else { break }
        pages.append(page.compactMap { $0.text("id") })
        filter.set("cursor", last.text("cursor"))
      }
      #expect(pages.map(\.count) == [3, 3, 1])
      #expect(Set(pages.joined()) == made)
    }
  }

  /// A turn in an archived thread unarchives it, and the list shows the newest first.
  @Test func aTurnMovesAThreadToTheTop() async throws {
    try await World.signedIn { _, caller in
      let one = try await caller.createThread("One")
      _ = try await caller.createThread("Two")
      try await caller.call("Threads.Archive", one)
      _ = try await caller.send("Hello", to: one)
      #expect(try await caller.threadIDs().first == one)
      try await caller.catchUp()
      #expect(try caller.threadChanges().suffix(3) == ["\(one) archived", "\(one) unarchived", "\(one) updated"])
    }
  }

  /// Times are whole seconds, and the order within one second is fixed.
  @Test func theLastChangeIsFirstWithinOneSecond() async throws {
    try await World.signedIn { world, caller in
      var made: [String] = []
      for number in 0..<6 { made.insert(try await caller.createThread("Thread \(number)"), at: 0) }
      #expect(try await caller.threadIDs() == made)
      for thread in made.shuffled() {
        try await caller.call("Threads.Rename", thread, "Renamed")
        #expect(try await caller.threadIDs(["limit": UInt32(1)]) == [thread])
      }
      await world.service.end()
      try await world.service.start(world.sandbox.addresses)
      let order = try await caller.threadIDs()
      _ = try await caller.send("Hello", to: order[3])
      #expect(try await caller.threadIDs() == [order[3]] + order.filter { $0 != order[3] })
    }
  }

  /// A database that shares its file with another document is neither locked nor written to.
  @Test func aDatabaseThatIsAHardLinkIsRefused() async throws {
    try await World.signedIn { world, caller in
      let thread = try await caller.createThread("One")
      let name = try #require(try world.directories.files().keys.first { $0.hasSuffix("/threads.db") })
      let path = world.directories.root.appending(path: name).path
      let letter = world.directories.home.appending(path: "letter").path
      try FileManager.default.moveItem(atPath: path, toPath: path + ".own")
      try "precious".write(toFile: letter, atomically: true, encoding: .utf8)
      try FileManager.default.linkItem(atPath: letter, toPath: path)
      let calls: [@GLibActor () async throws -> Void] = [
        { _ = try await caller.createThread("Two") }, { _ = try await caller.threads() },
        { _ = try await caller.send("Hello", to: thread) },
        { try await caller.call("Threads.Rename", thread, "title") },
        { try await caller.call("Threads.Delete", thread) },
      ]
      for call in calls {
        let refusal = try await refusal(of: call)
        #expect(refusal.name == "StoreUnavailable")
        #expect(refusal.message.contains("hard link"))
      }
      #expect(try String(contentsOfFile: letter, encoding: .utf8) == "precious")
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: path + ".own", toPath: path)
      #expect(try await caller.threadIDs() == [thread])
      try await caller.call("Threads.Rename", thread, "title")
    }
  }

  @Test func usageIsTheSizeOfTheStore() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let one = try await caller.createThread("One")
      _ = try await caller.createThread("Two")
      try await caller.call("Threads.Archive", one)
      let usage = try await caller.call("Threads.GetUsage").member(0, "usage", as: VariantDictionary.self)
      let listed = try await caller.threads() + caller.threads(["archived": true])
      #expect(
        try usage.value("used_bytes", as: UInt64.self)
          == listed.reduce(0) { $0 + (try $1.value("bytes", as: UInt64.self) ?? 0) })
      #expect(try usage.value("limit_bytes", as: UInt64.self) == 256 << 20)
      #expect(try usage.value("thread_count", as: UInt32.self) == 2)
      #expect(try usage.value("archived_count", as: UInt32.self) == 1)
      #expect(try usage.value("unreadable_count", as: UInt32.self) == 0)
    }
  }

  /// Signals of an opened client go to its opener alone.
  @Test func onlyTheOpenerOfAClientReceivesThreadChanged() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let watcher = try await world.caller()
      let client = try await caller.open("Client")
      let own = try await caller.open("Client", ["keychain_account": "other"])
      let thread = try await caller.createThread(at: .chappie)
      let other = try await caller.createThread(at: own)
      try await caller.catchUp()
      try await watcher.catchUp()
      #expect(try caller.threadChanges(at: .chappie) == ["\(thread) created"])
      #expect(try caller.threadChanges(at: client) == ["\(thread) created"])
      #expect(try caller.threadChanges(at: own) == ["\(other) created"])
      #expect(watcher.signals("ThreadChanged").map(\.path) == [.chappie])
    }
  }

  // MARK: Bad input

  @Test func invalidArgumentsAreRefused() async throws {
    try await World.signedIn { world, caller in
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
      for call in calls {
        #expect(try await refusal(of: call).name == "InvalidArgument")
      }
      #expect(try await caller.thread(thread).turns.isEmpty)
      #expect(try await world.sandbox.state().requests["responses"] ?? 0 == 0)
    }
  }

  @Test func anInvalidThreadIDIsRefused() async throws {
    let ids = [
      "", "nonsense", "../../../../etc/passwd", "..", "index", "lock", String(repeating: "a", count: 100_000), "Ä",
      "thread.new",
    ]
    try await World.signedIn { world, caller in
      _ = try await caller.createThread()
      try await world.each(ids) { (id: String) async throws in
        let calls: [@GLibActor () async throws -> Void] = [
          { _ = try await caller.thread(id) }, { _ = try await caller.send("hi", to: id) },
          { try await caller.call("Threads.Rename", id, "title") }, { try await caller.call("Threads.Archive", id) },
          { try await caller.call("Threads.Unarchive", id) }, { try await caller.call("Threads.Delete", id) },
          { try await caller.call("Threads.Compact", id, "summary") },
          { try await caller.call("Threads.UndoTurn", id, [:] as VariantDictionary) },
        ]
        for call in calls {
          #expect(try await refusal(of: call).name == "NoSuchThread")
        }
        #expect(try await caller.stream("hi", to: id).end().failure.name == "NoSuchThread")
        #expect(try await world.sandbox.state().requests["responses"] ?? 0 == 0)
        #expect(try await caller.threads().count == 1)
      }
    }
  }

  /// A turn whose thread is deleted meanwhile ends with its answer, and with the reason that it is not stored.
  @Test func anAnswerOfADeletedThreadIsReturned() async throws {
    try await World.signedIn { world, caller in
      let thread = try await caller.createThread()
      let (turn, call) = try await caller.waitingTurn(in: thread, world)
      try await caller.call("Threads.Delete", thread)
      try await caller.answer(call, of: turn)
      let failure = try await turn.end().failure
      #expect(failure.name == "NoSuchThread")
      #expect(failure.message.contains(turn.id))
      #expect(failure.details.text("partial_text") == "Thank you.")
      #expect(failure.details.text("response_id") != nil)
      #expect(try await turn.snapshot().text == "Thank you.")
      try await expectRefusal("NoSuchThread") { try await caller.send("More", to: thread) }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The ways to name a thread, and the reasons that there may be none.
@Suite(.worlds) @GLibActor
struct ThreadNameTests {
  @Test func aPrefixOfAnIDIsEnough() async throws {
    let (world, caller) = try await World.signedIn()
    var ids: [String] = []
    // Two of 17 ids begin with the same of 16 digits.
    while ids.count < 17 {
      ids.append(try await caller.call("Threads.Create", VariantDictionary()).member(0, "thread"))
    }
    let alone = String(ids[0].prefix(30))
    #expect(try await world.chappie("threads", "rename", alone, "Found").status == 0)
    #expect(try await world.listedThreads().first { $0.title == "Found" }?.id == ids[0])

    let digits = Dictionary(grouping: ids) { $0.prefix(1) }
    let shared = try #require(digits.first { $0.value.count > 1 })
    let ambiguous = try await world.chappie("threads", "archive", String(shared.key))
    #expect(ambiguous.status == 1)
    #expect(
      ambiguous.text.hasPrefix("chappie: “\(shared.key)” is the beginning of \(shared.value.count) threads, "),
      "\(ambiguous.text)")
    #expect(shared.value.contains { ambiguous.text.contains($0) })
    #expect(try await world.listedThreads(archived: true).isEmpty)
  }

  @Test func anUnknownAndALockedThreadAreFailures() async throws {
    let (world, caller) = try await World.signedIn()
    #expect(try await world.chappie("threads", "show", "last").text == "chappie: There are no threads yet.\n")
    let thread = try await world.beginThread("one")
    for arguments in [["show"], ["export"], ["rename", "x"], ["compact"], ["archive"], ["delete", "--yes"]] {
      for name in ["nonsense", "", "00000000-0000-0000-0000-000000000000"] {
        let line = [arguments[0], name] + arguments.dropFirst()
        let output = try await world.chappie(["threads"] + line)
        #expect(output.status == 1, "\(line): \(output.text)")
        #expect(output.text.hasPrefix("chappie: There is no "), "\(line): \(output.text)")
      }
    }
    #expect(try await world.chappie("ask", "--thread", "nonsense", "Hello").status == 1)
    #expect(try await world.listedThreads().map(\.id) == [thread])

    // Each account has its own threads.
    try await caller.signIn(account: "work")
    _ = try await world.chappie("ask", "--thread", "new", "--account", "work", "At work")
    #expect(try await world.listedThreads().map(\.id) == [thread])
    #expect(try await world.chappie("threads", "--account", "work").text.contains("  At work  "))
    #expect(try await world.chappie("threads", "show", "--account", "work", "last").text.hasPrefix("At work\n"))
    try await world.chappie("threads", "--account", "home").expect(3, "chappie sign-in --account home")

    try await world.keyring.lock()
    for line in [["list"], ["show", thread], ["export", "--all", "-o", "all"], ["usage"], ["rename", thread, "x"]] {
      try await world.chappie(["threads"] + line).expect(4, beginning: "chappie: The keyring is locked")
    }
    #expect(try await world.chappie("ask", "--thread", "last", "two").status == 4)
    try await world.keyring.unlock()
    #expect(try await world.listedThreads().map(\.turnCount) == [1])
  }

  @Test func aServiceWithoutThreadsIsReported() async throws {
    let world = try await World.begin(.activatable)
    try world.directories.configure("[Threads]\nEnabled=false\n")
    _ = try await world.signedInCaller()
    for line in [["threads"], ["threads", "show", "last"], ["ask", "--thread", "new", "Hello"]] {
      try await world.chappie(line)
        .expect(
          1,
          only:
            "chappie: The service keeps no threads: Enabled=true under [Threads] in chappie/chappie.conf turns them on.\n"
        )
    }
    #expect(try await world.chappie("ask", "Hello").status == 0)
  }

  @Test func verbsWithoutAModelWorkSignedOut() async throws {
    let (world, caller) = try await World.signedIn()
    let work = try await caller.signIn(account: "work")
    for text in ["one", "two"] {
      _ = try await world.chappie("ask", "--thread", "new", "--account", "work", text)
    }
    #expect(try await world.chappie("sign-out", "--account", "work").status == 0)
    try await caller.call("Manager.Close", work)
    try await eventually("the account to be removed") {
      try await world.chappie("ask", "--account", "work", "--thread", "last", "three").status == 3
    }
    try await world.chappie("threads", "--account", "work").expect(0, "  one  ")
    for (line, expected) in [
      (["usage"], "2 threads"), (["show", "last"], "You said"), (["export", "last"], "\"events\""),
      (["rename", "last", "Three"], "“Three”"), (["archive", "last"], "Archived “Three”."),
      (["unarchive", "last"], "Unarchived “Three”."), (["compact", "last", "Counted."], "reads a summary"),
      (["delete", "--yes", "last"], "Deleted “Three”."),
    ] {
      try await world.chappie(["threads", line[0], "--account", "work"] + line.dropFirst()).expect(0, expected)
    }
    // These verbs ask a model.
    for line in [
      ["threads", "compact", "--account", "work", "last"], ["chat", "--account", "work", "--thread", "last"],
    ] {
      try await world.chappie(line).expect(3, "chappie sign-in --account work")
    }
    _ = try await world.chappie("threads", "delete", "--account", "work", "--yes", "last")
    #expect(try await world.chappie("threads", "--account", "work").status == 3)
  }
}

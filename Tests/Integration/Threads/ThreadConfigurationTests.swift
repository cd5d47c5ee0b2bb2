// SPDX-License-Identifier: Apache-2.0
import Platform
import SQLite

/// `[Threads]` and `[Redaction]` of `chappie/chappie.conf`, and the disk of the threads.
@Suite(.worlds) @GLibActor
struct ThreadConfigurationTests {
  @Test func threadsCanBeDisabled() async throws {
    let (world, caller) = try await World.signedIn(World.Plan(configuration: "[Threads]\nEnabled=false\n"))
    try await caller.signIn(account: "work")
    let client = try await caller.open("Client")
    for path in [ObjectPath.chappie, .chappie.appending("account").appending("work"), client] {
      let reply = try await caller.connection.call(
        "org.chappie", path, "org.freedesktop.DBus.Introspectable", "Introspect")
      let interfaces = try Introspection.interfaces(reply.member(0, "xml"))
      #expect(interfaces["org.chappie.Client"] != nil)
      #expect(interfaces["org.chappie.Threads"] == nil)
      try await expectRefusal("org.freedesktop.DBus.Error.UnknownMethod") { try await caller.threads(at: path) }
    }
    #expect(try await caller.send("hi").contains("hi"))
    #expect(!FileManager.default.fileExists(atPath: world.directories.home.path + "/.local/share/chappie/threads"))
  }

  // MARK: Redaction

  /// Redacted parts are not written; the answer of the turn itself has them.
  @Test func redactedTextIsNeverWritten() async throws {
    let configuration = "[Redaction]\nMask=outputs\n[Redaction Patterns]\nname=Brunhilde|Siegfried\n"
    let (_, caller) = try await World.signedIn(World.Plan(configuration: configuration))
    let thread = try await caller.createThread()
    #expect(try await caller.send("Brunhilde pays", to: thread).contains("Brunhilde pays"))
    let stored = try await caller.thread(thread)
    #expect(stored.summary.title == "[redacted] pays")
    #expect(stored.inputs == ["[redacted] pays"])
    #expect(stored.turns[0].events.last?.text == "[redacted]")
  }

  // MARK: Retention

  /// Retention deletes the oldest archived thread first, then the oldest; never the one that is written to.
  @Test func theSizeLimitHolds() async throws {
    let (_, caller) = try await World.signedIn(World.Plan(configuration: "[Threads]\nMaximumSize=0.015\n"))
    let text = String(repeating: "words ", count: 1000)
    var threads: [String] = []
    for number in 0..<4 {
      threads.append(try await caller.createThread("Thread \(number)"))
      if number > 0 { _ = try await caller.send(text, to: threads[number]) }
      if number == 2 { try await caller.call("Threads.Archive", threads[2]) }
    }
    let usage = try await caller.call("Threads.GetUsage").member(0, "usage", as: VariantDictionary.self)
    let limit = try usage.value("limit_bytes", as: UInt64.self)
    #expect(limit == 15_728)
    #expect(try usage.value("used_bytes", as: UInt64.self) ?? .max <= limit ?? 0)
    try await caller.catchUp()
    #expect(try caller.threadChanges().contains("\(threads[2]) deleted"))

    // No deletion could make room for this thread.
    try await expectRefusal("StoreFull", saying: "The answer could not be stored") {
      try await caller.send(String(repeating: "words ", count: 10_000), to: threads[3])
    }
    #expect(try await caller.thread(threads[3]).turns.count == 1)
  }

  /// Retention runs without a call, also when the service starts.
  @Test func oldThreadsAreArchivedAndThenDeleted() async throws {
    // 0.00002 days are 1.7 seconds.
    let plan = World.Plan(configuration: "[Threads]\nArchiveAfter=0.00002\nDeleteAfter=never\n")
    let (world, caller) = try await World.signedIn(plan)
    let thread = try await caller.createThread("a secret title")
    try await eventually("the thread to be archived") {
      try await caller.threadIDs().isEmpty
    }
    #expect(try await caller.threadIDs(["archived": true]) == [thread])
    try await caller.catchUp()
    #expect(try caller.threadChanges().contains("\(thread) archived"))
    // The log has the counts and nothing else.
    let process = try #require(world.service.process)
    let line = "Stored threads, as the retention policy says: archived 1, deleted 0."
    try await eventually("the line of the log") { process.output.contains(line) }
    #expect(!process.output.contains("secret title"))

    await world.service.end()
    let file = try #require(try world.directories.files().keys.first { $0.hasSuffix("/threads.db") })
    let database = try Database(world.directories.root.appending(path: file).path, busyTimeout: .seconds(10))
    // Two days have passed, in microseconds.
    try database.run("UPDATE threads SET archived_at = archived_at - 172800000000")
    // All that time the clock was plausible.
    try database.run("CREATE TABLE clock (server_time INTEGER, plausible_since INTEGER) STRICT")
    try database.run("INSERT INTO clock SELECT unixepoch(), unixepoch() - 172800")
    try world.directories.configure("[Threads]\nDeleteAfter=1\n")
    try await world.service.start(world.sandbox.addresses)
    try await eventually("the thread to be deleted") { try database.number("SELECT count(*) FROM threads") == 0 }
  }

  // MARK: Files

  /// When a thread cannot be written, no question is sent either.
  @Test func aDirectoryThatCannotBeMadeIsReported() async throws {
    let world = try await World.begin()
    let data = world.directories.home.appending(path: ".local/share/chappie")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    try Data().write(to: data.appending(path: "threads"))
    let caller = try await world.signedInCaller()
    try await expectRefusal("StoreUnavailable", saying: "is not a directory") { try await caller.createThread() }
    #expect(try await caller.send("hi").contains("hi"))
    try FileManager.default.removeItem(at: data.appending(path: "threads"))
    let thread = try await caller.createThread()
    #expect(try await caller.send("One", to: thread).contains("1 message"))
  }

  // MARK: A full disk

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
      // A scripted answer is not measured against the model's context window.
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
  @Test(.enabled(if: ServiceProcess.mayHaveADisk)) func eachThreadCanBeDeletedOnAFullDisk() async throws {
    let world = try await World.begin(World.Plan(service: .none, transport: .http))
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

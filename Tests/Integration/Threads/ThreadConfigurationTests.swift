// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Platform
import SQLite
import Testing

/// `[Threads]` and `[Redaction]` of `chappie/chappie.conf`.
@Suite(.worlds) @GLibActor
struct ThreadConfigurationTests {
  @Test func threadsCanBeDisabled() async throws {
    try await World.signedIn(World.Plan(configuration: "[Threads]\nEnabled=false\n")) { world, caller in
      try await caller.signIn(account: "work")
      let client = try await caller.open("Client")
      for path in [ObjectPath.chappie, .chappie.appending("account").appending("work"), client] {
        let reply = try await caller.connection.call(
          "org.chappie", path, "org.freedesktop.DBus.Introspectable", "Introspect")
        let interfaces = try Introspection.interfaces(reply.member(0, "xml"))
        #expect(interfaces["org.chappie.Client"] != nil)
        #expect(interfaces["org.chappie.Threads"] == nil)
        #expect(
          try await refusal { try await caller.threads(at: path) }.name
            == "org.freedesktop.DBus.Error.UnknownMethod")
      }
      #expect(try await caller.send("hi").contains("hi"))
      #expect(!FileManager.default.fileExists(atPath: world.directories.home.path + "/.local/share/chappie/threads"))
    }
  }

  // MARK: Redaction

  /// Redacted parts are not written; the answer of the turn itself has them.
  @Test func redactedTextIsNeverWritten() async throws {
    let configuration = #"""
      [Redaction]
      Drop=tool-arguments;payloads
      Mask=tool-outputs

      [Redaction Patterns]
      card=\b\d{4}(?:[ -]?\d{4}){3}\b
      name=Brunhilde|Siegfried
      """#
    try await World.signedIn(World.Plan(configuration: configuration)) { world, caller in
      let thread = try await caller.createThread()
      try await world.sandbox.play(
        #"""
        [{"endpoint":"responses","times":1,"tool_calls":[{"name":"pay","arguments":{"to":"Hagen"}}]},
         {"endpoint":"responses","times":1,"text":"Siegfried has paid."}]
        """#)
      let tool: VariantDictionary = ["name": "pay", "input_schema": #"{"type":"object"}"#]
      let turn = try await caller.stream(
        "Brunhilde pays with 1234 5678 9012 3456 today", to: thread, ["tools": [tool]])
      let call = try await caller.signal("ToolCallRequested").arguments.member(1, "call", as: String.self)
      try await caller.call("Client.SubmitToolResult", turn.id, call, "A receipt", VariantDictionary())
      #expect(try await turn.end().answer.text == "Siegfried has paid.")

      let stored = try await caller.thread(thread)
      #expect(stored.summary.title == "[redacted] pays with [redacted] today")
      #expect(stored.inputs == ["[redacted] pays with [redacted] today"])
      #expect(stored.kinds == [["input", "tool-call", "tool-output", "output"]])
      #expect(stored.turns[0].events[1].arguments == "")
      #expect(stored.turns[0].events[2].output == "[redacted]")
      #expect(stored.turns[0].events[3].text == "[redacted] has paid.")
    }
  }

  // MARK: Retention

  /// Retention deletes the oldest archived thread first, then the oldest; never the one that is written to.
  @Test func theSizeLimitHolds() async throws {
    try await World.signedIn(World.Plan(configuration: "[Threads]\nMaximumSize=0.015\n")) { _, caller in
      let text = String(repeating: "words ", count: 1000)
      var threads: [String] = []
      for number in 0..<4 {
        threads.append(try await caller.createThread("Thread \(number)"))
        if number > 0 { _ = try await caller.send(text, to: threads[number]) }
        if number == 2 { try await caller.call("Threads.Archive", threads[2]) }
      }
      let left = try await Set(caller.threadIDs() + caller.threadIDs(["archived": true]))
      #expect(left.contains(threads[3]))
      #expect(!left.contains(threads[2]))
      let usage = try await caller.call("Threads.GetUsage").member(0, "usage", as: VariantDictionary.self)
      let limit = try usage.value("limit_bytes", as: UInt64.self)
      #expect(limit == 15_728)
      #expect(try usage.value("used_bytes", as: UInt64.self) ?? .max <= limit ?? 0)
      try await caller.catchUp()
      #expect(try caller.threadChanges().contains("\(threads[2]) deleted"))

      // No deletion could make room for this thread.
      let tooLong = try await refusal {
        try await caller.send(String(repeating: "words ", count: 10_000), to: threads[3])
      }
      #expect(tooLong.name == "StoreFull")
      #expect(tooLong.message.contains("The answer could not be stored"))
      #expect(try await caller.thread(threads[3]).turns.count == 1)
    }
  }

  /// Retention runs without a call when the service starts.
  @Test func oldThreadsAreArchivedAndThenDeleted() async throws {
    // 0.00002 days are 1.7 seconds.
    let plan = World.Plan(configuration: "[Threads]\nArchiveAfter=0.00002\nDeleteAfter=never\n")
    try await World.signedIn(plan) { world, caller in
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
  }

  // MARK: Files

  /// When a thread cannot be written, no question is sent either.
  @Test func aDirectoryThatCannotBeMadeIsReported() async throws {
    try await World.with { world in
      let data = world.directories.home.appending(path: ".local/share/chappie")
      try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
      try Data().write(to: data.appending(path: "threads"))
      let caller = try await world.signedInCaller()
      let refused = try await refusal { try await caller.createThread() }
      #expect(refused.name == "StoreUnavailable")
      #expect(refused.message.contains("is not a directory"))
      #expect(try await caller.send("hi").contains("hi"))
      try FileManager.default.removeItem(at: data.appending(path: "threads"))
      let thread = try await caller.createThread()
      #expect(try await caller.send("One", to: thread).contains("1 message"))
    }
  }
}

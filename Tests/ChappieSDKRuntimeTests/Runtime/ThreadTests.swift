// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime

/// Creating, resuming, listing and archiving threads.
@Suite(.timeLimit(.minutes(10))) @GLibActor
struct ThreadTests {
  @Test func aNewThreadHasAnEmptyContext() async throws {
    try await Answering.with { world in
      let runtime = world.runtime
      _ = try await runtime.send("One")
      let first = runtime.currentThread
      let second = try await runtime.createThread()
      #expect(runtime.currentThread == second)
      #expect(try await runtime.thread(second).summary.title == "")
      #expect(try await runtime.send("Two").contains("1 message"))
      #expect(try await runtime.thread(second).summary.title == "Two")
      let named = try await runtime.createThread(title: "Buses")
      _ = try await runtime.send("Three")
      #expect(try await runtime.thread(named).summary.title == "Buses")
      #expect(try await runtime.listThreads().count == 3)
      try await runtime.resume(thread: try #require(first))
      #expect(try await runtime.send("Four").contains("3 messages"))
    }
  }

  @Test func turnsOfAnotherRuntimeAreReadBeforeTheNextTurn() async throws {
    try await Answering.with { world in
      _ = try await world.runtime.send("One")
      let id = try await world.thread().id
      let another = world.again()
      #expect(try await another.resume(thread: id).turns.count == 1)
      #expect(another.currentThread == id)
      let context = await another.client.context()
      #expect(context.threadID == id && context.messages.map(\.role) == [.user, .assistant])
      #expect(try await another.send("Two").contains("3 messages"))
      #expect(try await world.runtime.send("Three").contains("5 messages"))
      try await another.rename(thread: id, to: "Numbers")
      #expect(try await another.send("Four").contains("7 messages"))
      #expect(try await world.thread().summary.title == "Numbers")
      // A replaced turn leaves their number as it was.
      _ = try await world.runtime.send("Five")
      try await another.resume(thread: id)
      try await another.undoTurn()
      _ = try await another.send("Instead")
      _ = try await world.runtime.send("Six")
      let messages = await world.runtime.client.context().messages.filter { $0.role == .user }
      #expect(messages.map(\.text) == ["One", "Two", "Three", "Four", "Instead", "Six"])
    }
  }

  @Test func aStoredSummaryReplacesTheMessagesAndIsNotRemoved() async throws {
    try await Answering.with { world in
      _ = try await world.runtime.send("One")
      try await world.runtime.compactContext(summary: "They counted.")
      await #expect(throws: ChappieClientError.noTurn) { try await world.runtime.undoTurn() }
      #expect(await world.runtime.client.context().compactedSummary == "They counted.")
      _ = try await world.runtime.send("Two")
      let summary = try await #require(world.runtime.compactContext().compactedSummary)
      _ = try await world.runtime.send("Three")
      let thread = try await world.thread()
      #expect(
        thread.turns.map { $0.events.filter { $0.kind == "compaction" } } == [
          [], [.compaction(summary: "They counted.")], [], [.compaction(summary: summary)], [],
        ])
      let context = try await world.again().resumed(thread.id)
      #expect(context.compactedSummary == summary)
      #expect(context.messages.first?.text == "Three")
      #expect(context.messageCount == 2)
    }
  }

  @Test func anAutomaticSummaryIsStored() async throws {
    try await Answering.with(compaction: .whenFull(percent: 15), contextWindow: 4000) { world in
      _ = try await world.runtime.send(String(repeating: "word ", count: 560))
      _ = try await world.runtime.send("What now?")
      let thread = try await world.thread()
      #expect(thread.turns.count == 2)
      #expect(thread.turns.last?.events.first?.kind == "compaction")
      let context = try await world.again().resumed(thread.id)
      #expect(await context.compactedSummary == world.runtime.client.context().compactedSummary)
      #expect(context.compactedSummary?.isEmpty == false)
      #expect(context.messages.first?.text == "What now?")
    }
  }

  @Test func archivedThreadsAreListedOnRequest() async throws {
    try await Answering.with { world in
      let runtime = world.runtime
      var ids: [String] = []
      for number in 1...4 {
        ids.append(try await runtime.createThread(title: "Thread \(number)"))
        _ = try await runtime.send("Hello")
      }
      try await runtime.archive(thread: ids[0])
      try await runtime.archive(thread: ids[2])
      #expect(Set(try await runtime.listThreads().map(\.id)) == [ids[1], ids[3]])
      #expect(Set(try await runtime.listThreads(includeArchived: true).map(\.id)) == Set(ids))
      #expect(Set(try await runtime.archivedThreads().map(\.id)) == [ids[0], ids[2]])
      #expect(try await runtime.thread(ids[0]).turns.count == 1)
      let page = try await runtime.listThreads(limit: 1)
      let next = try await runtime.listThreads(limit: 1, after: page.last)
      #expect(Set((page + next).map(\.id)) == [ids[1], ids[3]])
      try await runtime.unarchive(thread: ids[0])
      #expect(try await runtime.archivedThreads().map(\.id) == [ids[2]])
      // A message unarchives its thread.
      try await runtime.resume(thread: ids[2])
      _ = try await runtime.send("Are you there?")
      #expect(try await runtime.archivedThreads().isEmpty)
      let usage = try await runtime.usage()
      #expect(usage.threadCount == 4)
      #expect(usage.archivedCount == 0)
      #expect(usage.usedBytes > 0)
      #expect(usage.limitBytes == 256 << 20)
    }
  }

  @Test func deletingTheCurrentThreadClearsTheContext() async throws {
    try await Answering.with { world in
      let runtime = world.runtime
      _ = try await runtime.send("One")
      let first = try #require(runtime.currentThread)
      try await runtime.createThread()
      _ = try await runtime.send("Two")
      let second = try #require(runtime.currentThread)
      try await runtime.delete(thread: first)
      #expect(runtime.currentThread == second)
      #expect(try await runtime.send("Three").contains("3 messages"))
      try await runtime.delete(thread: second)
      #expect(runtime.currentThread == nil)
      #expect(try await runtime.send("Four").contains("1 message"))
      #expect(try await world.thread().summary.title == "Four")
      await #expect(throws: ChappieThreadStoreError.noSuchThread(first)) { try await runtime.resume(thread: first) }
      await #expect(throws: ChappieThreadStoreError.noSuchThread(first)) { try await runtime.delete(thread: first) }
    }
  }

  @Test func theLastTurnIsRemoved() async throws {
    try await Answering.with { world in
      let runtime = world.runtime
      await #expect(throws: ChappieClientError.noTurn) { try await runtime.undoTurn() }
      for text in ["One", "Two"] { _ = try await runtime.send(text) }
      let context = try await runtime.undoTurn()
      #expect(context.messages.map(\.text).first == "One" && context.messageCount == 2)
      #expect(try await world.thread().turns.count == 1)
      #expect(try await runtime.send("Three").contains("3 messages"))
      try world.backend.play(#"[{"endpoint":"responses","status":400,"times":1}]"#)
      await #expect(throws: ChappieClientError.self) { try await runtime.send("Four") }
      #expect(try await world.thread().turns.count == 3)
      #expect(try await runtime.undoTurn().messageCount == 4)
      for count in [2, 0] { #expect(try await runtime.undoTurn().messageCount == count) }
      await #expect(throws: ChappieClientError.noTurn) { try await runtime.undoTurn() }
      #expect(try await world.thread().summary.title == "One")
    }
  }

  /// A thread that is read again has no tool calls, so the conversation is not read again: it is continued.
  @Test func aRenameTakesNoToolCallsFromTheModel() async throws {
    let clock = ChappieHostTool(name: "clock", description: "Tells the time.") { _ in
      ChappieToolResult(output: "noon")
    }
    try await Answering.with(tools: [clock]) { world in
      try world.backend.play(#"[{"endpoint": "responses", "tool_calls": [{"name": "clock", "call_id": "call_1"}]}]"#)
      _ = try await world.runtime.send("One")
      try await world.again().rename(thread: world.thread().id, to: "Noon")
      for text in ["Two", "Three"] {
        _ = try await world.runtime.send(text)
        let body = String(decoding: world.backend.state.lastResponsesBody, as: UTF8.self)
        #expect(body.contains("previous_response_id"))
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime

/// Failing turns, and failing stores.
@Suite(.timeLimit(.minutes(10))) @GLibActor
struct FailureTests {
  @Test func aFailedTurnIsStoredWithItsError() async throws {
    let store = FaultyStore()
    try await Answering.with(.signedOut, store: store) { world in
      await #expect(throws: ChappieClientError.missingCredential) { try await world.runtime.send("Hello") }
      let events = try await world.events()
      #expect(
        events == [
          .input(.user("Hello")),
          .error(name: "missing-credential", message: ChappieClientError.missingCredential.description),
        ])
      // The caller needs the reason for the missing answer, whether or not the turn can be stored.
      store.fail(.append, .full("The disk is full."))
      await #expect(throws: ChappieClientError.missingCredential) { try await world.runtime.send("Hello") }
    }
  }

  @Test func aFailedTurnKeepsThePartialAnswer() async throws {
    let tool = ChappieHostTool(name: "clock", description: "Tells the time.") { _ in ChappieToolResult(output: "noon") }
    try await Answering.with(tools: [tool]) { world in
      try world.backend.play(
        """
        [{"endpoint": "responses", "text": "Let me see.", "tool_calls": [{"name": "clock", "call_id": "call_1"}]},
         {"endpoint": "responses", "status": 400, "body": {"detail": "no more"}}]
        """)
      await #expect(throws: ChappieClientError.self) { try await world.runtime.send("What time is it?") }
      let events = try await world.events().filter { $0.kind != "payload" }
      try #require(events.map(\.kind) == ["input", "tool-call", "tool-output", "output", "error"])
      #expect(events[3] == .output(text: "Let me see.", model: "gpt-6.1-sol", responseID: ""))
      // A failed turn does not become part of the context.
      #expect(try await world.runtime.send("Hello").contains("1 message"))
      #expect(try await world.again().resumed(world.thread().id).messages.map(\.text).first == "Hello")
    }
  }

  @Test func aCallOfAMissingToolIsStored() async throws {
    try await Answering.with { world in
      try world.backend.play(
        #"[{"endpoint": "responses", "tool_calls": [{"name": "spoon", "arguments": {"a": 1}, "call_id": "call_1"}]}]"#)
      await #expect(throws: ChappieClientError.missingToolHandler("spoon")) { try await world.runtime.send("Eat") }
      #expect(try await world.events().filter { $0.kind != "payload" }.map(\.kind) == ["input", "tool-call", "error"])
    }
  }

  @Test func aCancelledStreamThrowsAndIsStoredAsCancelled() async throws {
    let store = FaultyStore()
    try await Answering.with(store: store) { world in
      try world.backend.play(#"[{"endpoint": "responses", "hang": true}]"#)
      let stream = Task.onGLib { for try await _ in world.runtime.stream("Hello") {} }
      try await eventually("the request") { world.backend.state.requests["responses"] == 1 }
      stream.cancel()
      await #expect(throws: CancellationError.self) { try await stream.value }
      try await eventually("the turn") { try await world.thread().turns.count == 1 }
      let events = try await world.events()
      #expect(
        events == [
          .input(.user("Hello")), .error(name: "cancelled", message: "The turn was cancelled."),
        ])
    }
  }

  // MARK: The store

  @Test func nothingIsSentIfNoThreadCanBegin() async throws {
    let store = FaultyStore()
    store.fail(.create, .locked("The keyring is locked."))
    try await Answering.with(store: store) { world in
      await #expect(throws: ChappieThreadStoreError.locked("The keyring is locked.")) {
        try await world.runtime.send("Hello")
      }
      #expect(world.backend.state.requests["responses"] ?? 0 == 0)
      store.fail(.create, nil)
      let answer = try await world.runtime.send("Hello")
      #expect(answer.contains("Hello"))
    }
  }

  @Test func theErrorHoldsAnAnswerThatCannotBeStored() async throws {
    let store = FaultyStore()
    store.fail(.append, .full("The disk is full."))
    try await Answering.with(store: store) { world in
      let error = await #expect(throws: ChappieRuntimeError.self) { try await world.runtime.send("Hello") }
      guard case .notStored(let response, let reason)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(response.outputText.contains("Hello"))
      #expect(reason == .full("The disk is full."))
      #expect(error?.description == "The answer could not be stored. The disk is full.")
      // A stream fails too, in place of its last event.
      var text = ""
      do {
        for try await event in world.runtime.stream("Hello") {
          if case .textDelta(let delta) = event { text += delta }
          if case .completed = event { Issue.record("a turn that was not stored is complete") }
        }
        Issue.record("the stream ended without an error")
      } catch ChappieRuntimeError.notStored(let response, _) {
        #expect(response.outputText == text)
      }
      // The thread continues with its stored turns.
      store.fail(.append, nil)
      let next = try await world.runtime.send("And now?")
      #expect(next.contains("1 message"))
      #expect(try await world.thread().turns.count == 1)
    }
  }

  @Test func aDeletedThreadIsNotContinued() async throws {
    try await Answering.with { world in
      _ = try await world.runtime.send("One")
      let gone = try await world.thread().id
      try await world.store.delete(gone)
      await #expect(throws: ChappieThreadStoreError.noSuchThread(gone)) { try await world.runtime.send("Two") }
      #expect(try await world.runtime.send("Three").contains("1 message"))
      #expect(try await world.thread().id != gone)
      #expect(try await world.thread().summary.title == "Three")
    }
  }
}

extension ChappieRuntime {
  /// The client's context after it resumed a thread.
  func resumed(_ thread: String) async throws -> ChappieClientContext {
    try await resume(thread: thread)
    return await client.context()
  }
}

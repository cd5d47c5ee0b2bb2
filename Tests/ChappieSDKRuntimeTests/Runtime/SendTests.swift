// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDKRuntime

/// Answered turns, and their stored events.
@Suite(.timeLimit(.minutes(10))) @GLibActor
struct SendTests {
  @Test func aTurnIsStoredBeforeItsAnswerIsReturned() async throws {
    try await Answering.with { world in
      #expect(world.runtime.currentThread == nil)
      await #expect(throws: ChappieClientError.self, "an empty message") { try await world.runtime.send("") }
      #expect(try await world.runtime.listThreads().isEmpty)
      let answer = try await world.runtime.send("What is a bus?")
      #expect(answer.contains("What is a bus?"))
      let thread = try await world.thread()
      #expect(thread.id == world.runtime.currentThread)
      #expect(thread.summary.title == "What is a bus?")
      #expect(thread.turns.count == 1)
      let events = try await world.events().filter { $0.kind != "payload" }
      #expect(events.map(\.kind) == ["input", "output"])
      #expect(events.first == .input(.user("What is a bus?")))
      guard case .output(answer, "gpt-6.1-sol", let responseID) = events.last else {
        throw Surprise("the last event is \(events)")
      }
      #expect(responseID.hasPrefix("resp"))
      // The next message continues the thread.
      #expect(try await world.runtime.send(.user("Two", fastMode: true)).contains("3 messages"))
      let turns = try await world.thread().turns
      #expect(
        turns.map { $0.events.first { $0.kind == "input" } } == [
          .input(.user("What is a bus?")), .input(.user("Two", fastMode: true)),
        ])
      #expect(Set(turns.map(\.id)).count == 2)
    }
  }

  @Test func concurrentMessagesAreStoredInOrder() async throws {
    try await Answering.with { world in
      let runtime = world.runtime
      let sends = (1...5).map { number in Task.onGLib { try await runtime.send("Message \(number)") } }
      var answers: [String] = []
      for send in sends { answers.append(try await send.value) }
      let thread = try await world.thread()
      #expect(thread.turns.count == 5)
      #expect(Set(thread.turns.map(\.recordedAtMicroseconds)).count > 1)
      // The context of each turn had all earlier turns.
      #expect((0..<5).allSatisfy { answers[$0].contains($0 == 0 ? "1 message" : "\(2 * $0 + 1) messages") })
      #expect(
        thread.turns.flatMap(\.events).compactMap { if case .output(let text, _, _) = $0 { text } else { nil } }
          == answers)
    }
  }

  @Test func aStreamEndsAfterItsTurnIsStored() async throws {
    try await Answering.with { world in
      var text = ""
      var kept: [ChappieTurnEvent] = []
      for try await event in world.runtime.stream("Tell me something") {
        switch event {
        case .textDelta(let delta): text += delta
        case .completed(let response):
          #expect(response.outputText == text)
          kept = try await world.events()
        default: break
        }
      }
      #expect(!text.isEmpty)
      guard case .output(text, _, _) = kept.last else { throw Surprise("kept was \(kept)") }
    }
  }

  @Test func toolCallsAreStoredWithTheirOutput() async throws {
    let weather = ChappieHostTool(name: "weather", description: "Tells the weather.") { call in
      ChappieToolResult(output: "rain")
    }
    let clock = ChappieHostTool(name: "clock", description: "Tells the time.") { _ in
      ChappieToolResult(failure: "it is broken")
    }
    try await Answering.with(tools: [weather, clock]) { world in
      try world.backend.play(
        """
        [{"endpoint": "responses", "text": "Let me see.", "tool_calls": [
          {"name": "weather", "call_id": "call_1"}, {"name": "clock", "call_id": "call_2"}]}]
        """)
      let answer = try await world.runtime.send("How is it outside?")
      let events = try await world.events().filter { $0.kind != "payload" }
      #expect(events.map(\.kind) == ["input", "tool-call", "tool-call", "tool-output", "tool-output", "output"])
      #expect(events[1] == .toolCall(callID: "call_1", name: "weather", arguments: "{}"))
      #expect(
        Set(events[3...4]) == [
          .toolOutput(callID: "call_1", name: "weather", status: .completed, output: "rain"),
          .toolOutput(callID: "call_2", name: "clock", status: .failed, output: "it is broken"),
        ])
      guard case .output(answer, _, _) = events.last else { throw Surprise("the last event is \(events)") }
      #expect(answer.hasPrefix("Let me see.\n\n"))
    }
  }

  @Test func reasoningItemsAreStoredAsReceived() async throws {
    try await Answering.with { world in
      try world.backend.play(
        """
        [{"endpoint": "responses", "events": [
          {"type": "response.created", "response": {"id": "resp_1"}},
          {"type": "response.output_item.done", "item":
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed", "summary": []}},
          {"type": "response.output_text.delta", "delta": "Hi."},
          {"type": "response.output_item.done", "item":
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]}},
          {"type": "response.completed", "response": {"id": "resp_1"}}]}]
        """)
      #expect(try await world.runtime.send("Think!") == "Hi.")
      let events = try await world.events()
      #expect(
        events == [
          .input(.user("Think!")),
          .payload(["type": "reasoning", "id": "rs_1", "encrypted_content": "sealed", "summary": []]),
          .output(text: "Hi.", model: "gpt-6.1-sol", responseID: "resp_1"),
        ])
    }
  }

  @Test(arguments: [
    ("What is a bus?", "What is a bus?"), ("  two\n\n lines\t", "two lines"), ("", ""), (" \n", ""),
    (String(repeating: "word ", count: 12), String(repeating: "word ", count: 12).dropLast() + ""),
    (String(repeating: "word ", count: 30), String(repeating: "word ", count: 11) + "word…"),
    (String(repeating: "x", count: 60), String(repeating: "x", count: 60)),
    (String(repeating: "x", count: 61), String(repeating: "x", count: 59) + "…"),
    ("a " + String(repeating: "🚌", count: 70), "a…"),
    ("\u{1B}[31mred\u{7} \u{0} bus\u{9B}", "[31mred bus"), ("\u{0}\u{1B}", ""),
    ("an accent e" + String(repeating: "\u{301}", count: 1000), "an accent…"),
    ("e" + String(repeating: "\u{301}", count: 1000), "…"),
  ])
  func aTitleIsTheBeginningOfTheFirstMessage(_ text: String, _ title: String) {
    #expect(ThreadTitle.make(of: text) == title)
    #expect(ThreadTitle.make(of: text).count <= 60)
    #expect(ThreadTitle.make(of: text).utf8.count <= 1024)
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Questions to the model: whole answers, streams, callers' own transcripts, options.
@Suite(.worlds) @GLibActor
struct AnswerTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func sendRepliesWithTheWholeAnswer(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      #expect(try await caller.send("hi") == "You said: “hi” This conversation has 1 message.")
      try await caller.catchUp()
      // The reply is the answer, and no signal comes.
      for signal in ["TextDelta", "Completed", "Failed"] { #expect(caller.signals(signal).isEmpty) }

      try await world.sandbox.play(
        #"[{"endpoint":"responses","text":"one two three four five","delta_delay_ms":30}]"#)
      let turn = try await caller.stream("count")
      #expect(try await turn.end().answer.text == "one two three four five")
      #expect(try turn.deltas.count > 1)
    }
  }

  /// Offsets count bytes of UTF-8, so the text has characters of one to four bytes. The last one comes as fast as
  /// possible, and is far longer than a socket buffers.
  @Test(arguments: World.Plan.Transport.allCases)
  func deltasAddUpToTheAnswer(over transport: World.Plan.Transport) async throws {
    let texts = [
      "One word", "Zwölf Boxkämpfer jagen Viktor", "日本語の テキスト です", "👩‍👩‍👧‍👦 and 🇦🇶 e\u{301}",
      "tab\tquote\"back\\slash\nline", (0..<40_000).map { "word\($0)" }.joined(separator: " "),
    ]
    try await World.signedIn(World.Plan(transport: transport), each: texts) { world, caller, text in
      try await world.sandbox.play("[\(json(["endpoint": "responses", "text": text]))]")
      let turn = try await caller.stream("hi")
      let (answer, details) = try await turn.end().answer
      #expect(answer == text)
      let deltas = try turn.deltas
      #expect(deltas.map(\.text).joined() == text)
      var offset = 0
      for delta in deltas {
        #expect(delta.offset == offset)
        #expect(!delta.text.isEmpty)
        offset += delta.text.utf8.count
      }
      #expect(turn.endCount == 1)
      #expect(details.text("model") == "gpt-6.1-sol")
      #expect(details.text("response_id")?.hasPrefix("resp_") == true)
      #expect(try details.value("input_tokens", as: UInt64.self) ?? 0 > 0)
      let words = text.split(whereSeparator: \.isWhitespace)
      #expect(try details.value("output_tokens", as: UInt64.self) == UInt64(words.count))
      #expect(try details.value("cached_input_tokens", as: UInt64.self) == 0)
      #expect(try details.value("reasoning_tokens", as: UInt64.self) == 0)
    }
  }

  @Test func aTranscriptIsAnswered() async throws {
    try await World.signedIn { world, caller in
      let messages = [
        Message("system", "Be brief."), Message("developer", "Be kind."), Message("user", "2+2?"),
        Message("assistant", "4"), Message("user", "And 3+3?"),
      ]
      // The backend has no system messages.
      let sent = [
        "developer: Be brief.", "developer: Be kind.", "user: 2+2?", "assistant: 4", "user: And 3+3?",
      ]
      let answer: String = try await caller.call("Client.Respond", messages, VariantDictionary()).member(0, "answer")
      #expect(answer.contains("And 3+3?") && answer.contains("3 messages"))
      #expect(try await world.sandbox.state().lastInput == sent)

      let turn = try await caller.streamResponse(messages)
      #expect(try await turn.end().answer.text == answer)
      #expect(try turn.deltas.map(\.text).joined() == answer)
      #expect(try await world.sandbox.state().lastInput == sent)
    }
  }

  @Test func optionsAndConfigurationsReachTheModel() async throws {
    try await World.signedIn { world, caller in
      _ = try await caller.send("plain")
      let plain = try #require(try await world.sandbox.state().lastResponsesRequest.body)
      #expect(plain.model == "gpt-6.1-sol")
      #expect(plain.reasoning?.effort == nil)

      _ = try await caller.send(
        "with options", ["model": "gpt-6-sol", "reasoning_effort": "high", "instructions": "Rhyme."])
      let full = try #require(try await world.sandbox.state().lastResponsesRequest.body)
      #expect(full.model == "gpt-6-sol")
      #expect(full.reasoning?.effort == "high")
      #expect(full.instructions == plain.instructions + "\n\nRhyme.")

      _ = try await caller.send("fast", ["fast_mode": true])
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.reasoning?.effort == "low")

      let harness: VariantDictionary = ["name": "Tea Clock", "instructions": "Only tea.", "capabilities": ["Timers."]]
      let client = try await caller.open("Client", ["model": "gpt-6-luna", "harness": harness])
      #expect(try await caller.property("Client.Model", at: client) == "gpt-6-luna")
      _ = try await caller.send("hi", at: client)
      let body = try #require(try await world.sandbox.state().lastResponsesRequest.body)
      #expect(body.model == "gpt-6-luna")
      #expect(body.instructions == "Only tea.\n\nApp: Tea Clock\n\nCapabilities:\n- Timers.")
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieLanguageModel
import ChappieSDK
import ChappieSDKTesting
import Testing

/// Code as apps for Apple's framework have it, with the import changed.
@Suite(.timeLimit(.minutes(1))) struct GuideTests {
  @Test func aSessionKeepsInstructionsAndTurns() async throws {
    try await TestModel.with { test in
      let formal = true
      let session = LanguageModelSession(model: test.model) {
        "You help with cooking."
        if formal { "Be formal." }
        for language in ["English", "German"] { "You speak \(language)." }
      }
      #expect(try await session.respond(to: "Hello").content.contains("“Hello”"))
      #expect(await test.latestRequest.contains(#"You help with cooking.\nBe formal.\nYou speak English.\nYou speak"#))
      let answer = try await session.respond {
        "What goes with rice?"
        Prompt("Name one thing.")
      }
      #expect(answer.content.contains("This conversation has 3 messages."))
      #expect(session.transcript.kinds == ["instructions", "prompt", "response", "prompt", "response"])
      #expect(Array(answer.transcriptEntries) == Array(session.transcript.suffix(2)))
      guard case .prompt(let prompt)? = answer.transcriptEntries.first else { return #expect(Bool(false)) }
      #expect(prompt.segments == [.text(.init(content: "What goes with rice?\nName one thing."))])
    }
  }

  @Test func aStreamHasSnapshotsOfTheWhole() async throws {
    try await TestModel.with { test in
      let session = LanguageModelSession(model: test.model, instructions: "Be brief.")
      let stream = session.streamResponse(to: "Tell me a story.")
      var shown = ""
      for try await snapshot in stream {
        #expect(snapshot.content.hasPrefix(shown))
        #expect(!snapshot.rawContent.isComplete)
        shown = snapshot.content
      }
      let response = try await stream.collect()
      #expect(response.content == shown)
      #expect(response.rawContent.json == .string(shown))
      #expect(try await session.streamResponse { "Go on." }.collect().content.contains("3 messages"))
    }
  }

  @Test func aToolIsCalled() async throws {
    try await TestModel.with { test in
      let session = LanguageModelSession(model: test.model, tools: [Weather()]) { "Use the tools." }
      let response = try await session.respond(to: #"use weather {"city": "Oslo", "days": null}"#)
      #expect(response.content == "The tool weather said: Rain in Oslo.\n1 days.")
      #expect(session.transcript.kinds == ["instructions", "prompt", "toolCalls", "toolOutput", "response"])
      guard case .toolCalls(let calls) = session.transcript[2], case .toolOutput(let output) = session.transcript[3]
      else { return #expect(Bool(false)) }
      #expect(calls.map(\.toolName) == ["weather"])
      #expect(try calls[0].arguments.value(String.self, forProperty: "city") == "Oslo")
      #expect(output.id == calls[0].id)
      #expect(output.segments == [.text(.init(content: "Rain in Oslo.\n1 days."))])
    }
  }

  @Test func aTypeIsGenerated() async throws {
    try await TestModel.with { test in
      let session = LanguageModelSession(model: test.model)
      let trip = try await session.respond(to: "Plan a trip.", generating: Trip.self).content
      #expect(trip.pace == .slow)
      #expect(trip.title.contains("Plan a trip."))
      #expect(trip.stops.count == 1)
      #expect(session.transcript.kinds == ["prompt", "response"])
      guard case .response(let response) = session.transcript[1], case .structure(let answer)? = response.segments.first
      else { return #expect(Bool(false)) }
      #expect(answer.source == "Trip")
      #expect(try answer.content.value() == trip)
      // The answer is part of the conversation.
      #expect(try await session.respond(to: "Go on.").content.contains("3 messages"))
      // A schema that is made at run time.
      let schema = GenerationSchema([
        "type": "object", "properties": ["name": ["type": "string"]], "required": ["name"],
        "additionalProperties": false,
      ])
      let content = try await session.respond(to: "Who?", schema: schema).content
      #expect(try content.value(String.self, forProperty: "name").contains("Who?"))
    }
  }

  @Test func aTypeIsStreamed() async throws {
    try await TestModel.with { test in
      try await test.backend.play(
        #"""
        [{"endpoint": "responses",
          "text": "{\"pace\": \"quick\", \"stops\": [\"Bath\"], \"title\": \"To the sea\"}"}]
        """#)
      let session = LanguageModelSession(model: test.model)
      let stream = session.streamResponse(generating: Trip.self) { "Plan a trip." }
      var latest: Trip?
      for try await snapshot in stream {
        if let pace = try? snapshot.rawContent.value(String.self, forProperty: "pace") {
          #expect("quick".hasPrefix(pace))
        }
        latest = snapshot.content ?? latest
      }
      #expect(latest == Trip(title: "To the sea", pace: .quick, stops: ["Bath"]))
      #expect(try await stream.collect().content == latest)
    }
  }

  @Test func aModelTellsWhetherItIsAvailable() async throws {
    let expected: [(ChappieAuthFixture, SystemLanguageModel.Availability)] = [
      (.signedIn, .available), (.signedOut, .unavailable(.signedOut)),
      (.reauthenticationRequired, .unavailable(.reauthenticationRequired)),
    ]
    for (fixture, availability) in expected {
      try await TestModel.with(fixture) { test in #expect(test.model.availability == availability) }
    }
  }
}

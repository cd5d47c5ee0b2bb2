// SPDX-License-Identifier: Apache-2.0
import ChappieLanguageModel
import ChappieSDK
import ChappieSDKTesting
import Foundation
import Observation
import Synchronization
import Testing

/// What a session does besides an answer: its state, cancelling, transcripts, errors.
@Suite(.timeLimit(.minutes(10))) struct SessionTests {
  @Test func aSecondRequestIsRefusedWhileOneRuns() async throws {
    try await TestModel.with { test in
      try await test.hang()
      let session = LanguageModelSession(model: test.model)
      let first = session.streamResponse(to: "One")
      #expect(session.isResponding)
      await #expect(throws: LanguageModelSession.Error.concurrentRequests) { try await session.respond(to: "Two") }
      await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
        try await session.streamResponse(to: "Two").collect()
      }
      #expect(session.isResponding)
      try await eventually { await test.requests == 1 }
      // A refused request changes nothing, so observers are not told.
      let isTold = Mutex(false)
      withObservationTracking {
        _ = session.isResponding
      } onChange: {
        isTold.withLock { $0 = true }
      }
      await #expect(throws: LanguageModelSession.Error.concurrentRequests) { try await session.respond(to: "Two") }
      #expect(!isTold.withLock { $0 })
      Task { for try await _ in first {} }.cancel()
      try await eventually { !session.isResponding }
      #expect(try await session.respond(to: "Three").content.contains("1 message."))
    }
  }

  @Test func cancellingEndsTheRequestAndLeavesNothing() async throws {
    try await TestModel.with { test in
      try await test.hang()
      let session = LanguageModelSession(model: test.model)
      let request = Task { try await session.respond(to: "One") }
      try await eventually { await test.requests == 1 }
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
      #expect(!session.isResponding)
      #expect(session.transcript.isEmpty)

      try await test.hang()
      let reader = Task { for try await _ in session.streamResponse(to: "Two") {} }
      try await eventually { await test.requests == 2 }
      reader.cancel()
      await #expect(throws: CancellationError.self) { try await reader.value }
      try await eventually { !session.isResponding }
      #expect(try await session.respond(to: "Three").content.contains("1 message."))
    }
  }

  @Test func aWholeAnswerIsCollectedBesideAReader() async throws {
    try await TestModel.with { test in
      let session = LanguageModelSession(model: test.model)
      // Its state is observable.
      let changes = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = session.transcript
      } onChange: {
        changes.continuation.finish()
      }
      session.prewarm()
      let stream = session.streamResponse(to: "Tell me a story.")
      async let shown = {
        var latest = ""
        for try await snapshot in stream { latest = snapshot.content }
        return latest
      }()
      let response = try await stream.collect()
      #expect(try await shown == response.content)
      for await _ in changes.stream {}
      #expect(session.transcript.count == 2)
      // Who is cancelled after that gets the end, and no error.
      try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        for try await _ in stream {}
      }.value
    }
  }

  @Test func callsOfOneAnswerAreOneEntry() async throws {
    try await TestModel.with { test in
      try await test.backend.play(
        """
        [{"endpoint": "responses", "tool_calls": [
          {"name": "weather", "arguments": {"city": "Oslo", "days": 1}, "call_id": "call_a"},
          {"name": "weather", "arguments": {"city": 5}, "call_id": "call_b"},
          {"name": "weather", "arguments": {"city": "Rome", "days": 1}, "call_id": "call_c"}]},
         {"endpoint": "responses", "tool_calls": [
          {"name": "weather", "arguments": {"city": "Bath", "days": 1}, "call_id": "call_d"}]}]
        """)
      let session = LanguageModelSession(model: test.model, tools: [Weather()])
      let entries = Array(try await session.respond(to: "Weather?").transcriptEntries)
      #expect(
        Transcript(entries: entries).kinds == [
          "prompt", "toolCalls", "toolOutput", "toolOutput", "toolOutput", "toolCalls", "toolOutput", "response",
        ])
      guard case .toolCalls(let calls) = entries[1], case .toolCalls(let later) = entries[5] else {
        return #expect(Bool(false))
      }
      #expect(calls.map(\.id) == ["call_a", "call_b", "call_c"])
      #expect(calls[1].arguments.json == ["city": 5])
      #expect(entries[2...4].map(\.id) == calls.map(\.id))
      #expect(later.map(\.id) == [entries[6].id])
    }
  }

  @Test func aTranscriptIsMadeOfValues() async throws {
    try await TestModel.with { test in
      let call = Transcript.ToolCall(id: "1", toolName: "weather", arguments: GeneratedContent(["city": "Oslo"]))
      let rain = Transcript.StructuredSegment(source: "Rain", content: GeneratedContent(["falls": true]))
      let transcript = Transcript(entries: [
        .prompt(.init(segments: [.text(.init(content: "Does it rain?"))])),
        .toolCalls(.init(id: "2", [call])),
        .toolOutput(.init(id: "1", toolName: "weather", segments: [.text(.init(content: "Rain."))])),
        .response(.init(segments: [.structure(rain)])),
      ])
      #expect(transcript.map(\.id)[1...2] == ["2", "1"])
      let session = LanguageModelSession(model: test.model, transcript: transcript)
      let answer = try await session.respond(to: "And now?")
      #expect(answer.content.contains("3 messages"))
    }
  }

  @Test func aTranscriptIsStoredAndGoneOnFrom() async throws {
    try await TestModel.with { test in
      let session = LanguageModelSession(model: test.model, tools: [Weather()], instructions: "Be brief.")
      _ = try await session.respond(to: #"use weather {"city": "Oslo", "days": 2}"#)
      _ = try await session.respond(to: "Plan a trip.", generating: Trip.self)
      let stored = try JSONEncoder().encode(session.transcript)
      let transcript = try JSONDecoder().decode(Transcript.self, from: stored)
      #expect(transcript == session.transcript)

      let next = LanguageModelSession(model: test.model, tools: [Weather()], transcript: transcript)
      #expect(next.transcript == transcript)
      // A request that fails does not lose what came before.
      await #expect(throws: LanguageModelError.self) {
        try await next.respond(to: "Hm?", options: GenerationOptions(temperature: 0.5))
      }
      #expect(try await next.respond(to: "Go on.").content.contains("5 messages"))
      #expect(await test.latestRequest.contains("Be brief."))
      #expect(try await next.respond(to: "And on.").content.contains("7 messages"))
      #expect(next.transcript.count == transcript.count + 4)
    }
  }

  struct Broken: Tool {
    let description = "Has an output that JSON cannot express."
    func call(arguments: Weather.Arguments) async throws -> [Double] { [1, .nan] }
  }

  @Test func aToolThatFailsEndsTheRequest() async throws {
    try await TestModel.with { test in
      let session = LanguageModelSession(model: test.model, tools: [Weather(), Broken()])
      var error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
        try await session.respond(to: #"use weather {"city": "Atlantis", "days": 1}"#)
      }
      #expect(error?.tool is Weather)
      #expect(error?.underlyingError is Weather.Closed)
      #expect(await test.requests == 1)
      #expect(session.transcript.kinds == ["instructions"])
      error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
        try await session.respond(to: #"use Broken {"city": "Oslo", "days": 1}"#)
      }
      #expect(error?.underlyingError is EncodingError)
      #expect(Prompt([1, Double.nan]).text.contains("JSON cannot express nan"))
      let answer = try await session.respond(to: "Hello").content
      #expect(answer.contains("1 message."))
    }
  }

  // MARK: Errors

  @Test(arguments: [GenerationOptions(temperature: 0.2), GenerationOptions(maximumResponseTokens: 100)])
  func anOptionWithoutEffectIsRefused(_ options: GenerationOptions) async throws {
    try await TestModel.with { test in
      let session = LanguageModelSession(model: test.model)
      let error = await #expect(throws: LanguageModelError.self) {
        try await session.respond(to: "Hello", options: options)
      }
      guard case .unsupportedCapability(let context)? = error else { return #expect(Bool(false)) }
      #expect(context.debugDescription.contains(options.temperature == nil ? "maximumResponseTokens" : "temperature"))
      #expect(await test.requests == 0)
      let effort = GenerationOptions(reasoningEffort: .high)
      try await session.respond(to: "Hello", options: effort)
      #expect(await test.latestRequest.contains(#""effort":"high""#))
    }
  }

  @Test func errorsAreInTheWordsOfTheFramework() async throws {
    try await TestModel.with(contextWindow: 2000) { test in
      let session = LanguageModelSession(model: test.model)
      let long = String(repeating: "long ", count: 4000)
      var error = await #expect(throws: LanguageModelError.self) { try await session.respond(to: long) }
      guard case .contextSizeExceeded? = error else { return #expect(Bool(false)) }

      try await test.backend.play(
        """
        [{"endpoint": "responses", "status": 429,
          "body": {"error": {"type": "usage_limit_reached", "plan_type": "plus", "resets_at": 1893456000}}},
         {"endpoint": "responses", "text": "Not this one."}]
        """)
      error = await #expect(throws: LanguageModelError.self) { try await session.respond(to: "Hello") }
      guard case .rateLimited(let context)? = error else { return #expect(Bool(false)) }
      #expect(context.underlyingError is ChappieClientError)
      #expect(context.resetDate == Date(timeIntervalSince1970: 1_893_456_000))
      #expect((error as (any Error)?)?.localizedDescription == context.debugDescription)

      error = await #expect(throws: LanguageModelError.self) {
        try await session.respond(to: "Hello", generating: Trip.self)
      }
      guard case .decodingFailure? = error else { return #expect(Bool(false)) }
      // The conversation has that answer.
      #expect(session.transcript.kinds == ["prompt", "response"])
    }
  }

  @Test func aTypeWithoutASchemaIsRefused() async throws {
    struct Free: Generable { let fields: [String: String] }
    struct Anything: Tool {
      let description = "Takes anything."
      func call(arguments: Free) async throws -> String { "" }
    }
    try await TestModel.with { test in
      let session = LanguageModelSession(model: test.model)
      var error = await #expect(throws: LanguageModelError.self) {
        try await session.respond(to: "Hello", generating: Free.self)
      }
      guard case .unsupportedGenerationGuide(let context)? = error else { return #expect(Bool(false)) }
      #expect(context.debugDescription.contains("fields"))
      let equipped = LanguageModelSession(model: test.model, tools: [Anything()])
      error = await #expect(throws: LanguageModelError.self) { try await equipped.respond(to: "Hello") }
      guard case .unsupportedGenerationGuide? = error else { return #expect(Bool(false)) }
      #expect(await test.requests == 0)
    }
  }
}

/// Code as apps for Apple's framework have it, with the import changed.
@Suite(.timeLimit(.minutes(10))) struct GuideTests {
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
      try await TestModel.with(fixture) { test in
        _ = await test.model.session.restored()
        #expect(test.model.availability == availability)
      }
    }
    // An error that the framework has no words for is the client's.
    try await TestModel.with(.signedOut) { test in
      let session = LanguageModelSession(model: test.model)
      await #expect(throws: ChappieClientError.missingCredential) { try await session.respond(to: "Hello") }
      #expect(!session.isResponding)
    }
  }
}

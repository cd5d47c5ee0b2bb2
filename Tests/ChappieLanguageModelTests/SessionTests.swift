// SPDX-License-Identifier: Apache-2.0
import ChappieLanguageModel
import ChappieSDK
import ChappieSDKTesting
import Foundation
import Observation
import Synchronization
import Testing

/// What a session does besides an answer: its state, cancelling, transcripts.
@Suite(.timeLimit(.minutes(1))) struct SessionTests {
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

  @Test func aLongTranscriptIsCompacted() async throws {
    try await TestModel.with(contextWindow: 4000) { test in
      var configuration = test.model.configuration
      configuration.automaticCompaction = .whenFull(percent: 15)
      // About 700 tokens.
      let long = String(repeating: "word ", count: 560)
      let transcript = Transcript(entries: [
        .prompt(.init(segments: [.text(.init(content: long))])),
        .response(.init(segments: [.text(.init(content: "I see."))])),
      ])
      let session = LanguageModelSession(
        model: SystemLanguageModel(configuration: configuration), transcript: transcript)
      try await session.respond(to: "Go on.")
      let context = await session.client.context()
      #expect(context.compactedSummary?.isEmpty == false)
      #expect(context.messages.map(\.role) == [.user, .assistant])
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
}

/// The errors of requests.
@Suite(.timeLimit(.minutes(1))) struct LanguageModelErrorTests {
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

  @Test func otherErrorsAreThoseOfTheClient() async throws {
    try await TestModel.with(.signedOut) { test in
      let session = LanguageModelSession(model: test.model)
      await #expect(throws: ChappieClientError.missingCredential) { try await session.respond(to: "Hello") }
      #expect(!session.isResponding)
    }
  }
}

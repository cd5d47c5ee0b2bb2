// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials

/// A client's conversation as a value.
@Suite(.timeLimit(.minutes(10))) @GLibActor struct ClientContextTests {
  /// The messages of the last request as `role: text`, without the instructions.
  private func input(_ backend: StandInBackend) throws -> [String] {
    let body = try ChappieJSONValue(parsing: backend.state.lastResponsesBody.span)
    // In the lite form without tools, the instructions are the first item.
    let headCount = body["instructions"] == nil && body["previous_response_id"] == nil ? 1 : 0
    return (body["input"]?.arrayValue ?? []).dropFirst(headCount).compactMap { item in
      guard let role = item["role"]?.stringValue else { return nil }
      return "\(role): \((item["content"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }.joined())"
    }
  }

  @Test(arguments: TestClient.policies)
  func anotherClientResumesASavedContext(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { first in
      _ = await first.client.selectModel("gpt-6-sol")
      let answer = try await first.client.send("My name is Ada.")
      let context = await first.client.context()
      #expect(context.messages == [.user("My name is Ada."), .assistant(answer)])
      #expect(context.messageCount == 2)
      #expect(context.estimatedTokens == ("My name is Ada.\(answer)".utf8.count + 3) / 4)
      let kept = try JSONDecoder().decode(ChappieClientContext.self, from: try JSONEncoder().encode(context))
      #expect(kept == context)
      try await TestClient.with(policy) { second in
        _ = try await second.client.send("something else")
        let resumed = try await second.client.resumeContext(kept)
        #expect(resumed.messages == context.messages)
        #expect(resumed.threadID == context.threadID)
        _ = try await second.client.send("Who am I?")
        #expect(
          try input(second.backend) == ["user: My name is Ada.", "assistant: \(answer)", "user: Who am I?"])
        #expect(try ChappieJSONValue(parsing: second.backend.state.lastResponsesBody.span)["model"] == "gpt-6-sol")
      }
    }
  }

  @Test func clearingStartsANewThread() async throws {
    try await TestClient.with { tools in
      _ = try await tools.client.send("one")
      let before = await tools.client.context()
      let after = try await tools.client.clearContext()
      #expect(after.messages.isEmpty)
      #expect(after.threadID != before.threadID)
      #expect(after.sessionID == before.sessionID)
      #expect(try await tools.client.send("two").contains("1 message."))
    }
  }

  @Test(arguments: TestClient.policies)
  func modelOrAppWritesTheSummary(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      await #expect(throws: ChappieClientError.self) { try await tools.client.compactContext() }
      _ = try await tools.client.send("My name is Ada.")
      try tools.backend.play(#"[{"endpoint": "responses", "text": "The user is Ada."}]"#)
      #expect(try await tools.client.compactContext().compactedSummary == "The user is Ada.")
      _ = try await tools.client.send("Who am I?")
      let beginning = "developer: A summary of the conversation so far:\n"
      #expect(try input(tools.backend) == [beginning + "The user is Ada.", "user: Who am I?"])
      let context = try await tools.client.compactContext(summary: "They met.")
      #expect(context.messages.isEmpty)
      #expect(context.estimatedTokens == 3)
      _ = try await tools.client.send("Hello")
      #expect(try input(tools.backend) == [beginning + "They met.", "user: Hello"])
      let size = await tools.client.contextSize(contextWindow: 10)
      #expect(size.remainingTokens == 0)
      #expect(size.usedPercent > 100)
    }
  }

  @Test func requestAndContextContainImages() async throws {
    try await TestClient.with(.httpSSEOnly) { tools in
      let web = try ChappieImage(url: "https://example.org/cat.png")
      let data = try ChappieImage(url: "data:image/png;base64,iVBORw0KGgo=")
      #expect(try await tools.client.send(.user("Look", images: [web, data])).contains("It came with 2 images."))
      #expect(await tools.client.context().messages.first?.images == [web, data])
      _ = try await tools.client.send("And now?")
      let input = try ChappieJSONValue(parsing: tools.backend.state.lastResponsesBody.span)["input"]?.arrayValue
      let content = input?.first { $0["role"] == "user" }?["content"]
      #expect(content?.arrayValue?.compactMap { $0["image_url"]?.stringValue } == [web.url, data.url])
      #expect(throws: ChappieClientError.self) { try ChappieImage(url: "http://example.org/cat.png") }
      await #expect(throws: ChappieClientError.self) { try await ChappieImage(file: "/dev/null") }
    }
  }

  // MARK: The model of a context

  /// A program without a chosen model continues with another one if the backend retires the default.
  @Test(arguments: TestClient.policies)
  func defaultModelComesFromTheBackend(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      let (client, backend) = (tools.client, tools.backend)
      #expect(await client.context().model == ChappieClient.defaultModel)
      _ = try await client.send("one")
      let kept = await client.context()
      #expect(kept.usesDefaultModel)
      #expect(kept.model == (try await client.bestAvailableModel()?.slug))
      backend.retireModel(kept.model)
      #expect(try await client.send("two").contains("3 messages"))
      let next = await client.context()
      #expect(next.usesDefaultModel && next.model != kept.model)
      // The saved context has no chosen model either.
      _ = try await client.resumeContext(kept)
      #expect(await client.context().model == next.model)
      _ = await client.selectModel(kept.model)
      await #expect(throws: ChappieClientError.self) { try await client.send("three") }
    }
  }

  @Test func contextRecordsWhetherItsModelWasChosen() throws {
    func decode(_ model: String) throws -> ChappieClientContext {
      try JSONDecoder().decode(
        ChappieClientContext.self,
        from: Data(
          """
          {"sessionID":"s","threadID":"t","model":"\(model)","messages":[],"createdAt":1,"updatedAt":2}
          """.utf8))
    }
    // An old version saved no such field, and its default was the seeds' model.
    var context = try decode(ChappieClient.defaultModel)
    #expect(context.usesDefaultModel)
    #expect(try !decode("gpt-6-sol").usesDefaultModel)
    context.model = "gpt-6-sol"
    #expect(!context.usesDefaultModel)
  }

  // MARK: Compaction before a conversation exceeds the model's context window

  /// The context after a message of about 700 tokens and a short one.
  private func context(
    _ compaction: ChappieAutomaticCompaction, model: String? = nil
  ) async throws -> ChappieClientContext {
    var context: ChappieClientContext?
    try await TestClient.with(compaction: compaction, contextWindow: 4000) { tools in
      if let model { _ = await tools.client.selectModel(model) }
      _ = try? await tools.client.send(String(repeating: "word ", count: 560))
      #expect(await tools.client.context().compactedSummary == nil)
      if model == nil { _ = try await tools.client.send("what now?") }
      context = await tools.client.context()
    }
    return try #require(context)
  }

  @Test func compactsBeforeAMessageThatDoesNotFit() async throws {
    let context = try await context(.whenFull(percent: 15))
    #expect(context.compactedSummary?.isEmpty == false)
    #expect(context.messages.map(\.role) == [.user, .assistant])
    #expect(context.messages.map { $0.text.contains("what now?") } == [true, true])
  }

  @Test(arguments: [ChappieAutomaticCompaction.off, .whenFull(percent: 90)])
  func doesNotCompactAConversationThatFits(_ compaction: ChappieAutomaticCompaction) async throws {
    let context = try await context(compaction)
    #expect(context.compactedSummary == nil && context.messageCount == 4)
  }

  /// The turn continues without compaction.
  @Test func doesNotCompactWithAnUnknownWindow() async throws {
    #expect(try await context(.whenFull(percent: 1), model: "gpt-5.3-codex-unlisted").compactedSummary == nil)
  }
}

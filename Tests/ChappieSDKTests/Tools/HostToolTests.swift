// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials

/// Tools of a Swift program that run in its own process.
@Suite(.timeLimit(.minutes(10))) @GLibActor struct HostToolTests {
  private static let weather = ChappieHostTool(
    name: "weather", description: "Tells the weather.",
    inputSchema: ["type": "object", "properties": ["city": ["type": "string"]], "required": ["city"]]
  ) { call in
    ChappieToolResult(output: ["city": call.argumentsJSON?["city"] ?? .null, "degrees": 7])
  }

  @Test(arguments: TestClient.policies)
  func eventsComeInOrder(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy, tools: [Self.weather]) { tools in
      try tools.backend.play(
        """
        [{"endpoint": "responses", "text": "Let me see.",
          "tool_calls": [{"name": "weather", "arguments": {"city": "Oslo"}, "call_id": "call_1"}]}]
        """)
      let events = try await tools.events("How is the weather?")
      try #require(events.count == 5)
      #expect(events.first == .textDelta("Let me see."))
      let request = ChappieToolExecutionRequest(
        callID: "call_1", toolName: "weather", arguments: #"{"city":"Oslo"}"#, policy: .automatic)
      #expect(events[1] == .toolCallRequested(request))
      guard case .toolCallCompleted(let result) = events[2], case .completed(let response) = events[4] else {
        throw UnmetCondition("a result")
      }
      #expect(result.callID == "call_1" && result.toolName == "weather" && result.status == .completed)
      #expect(ChappieJSONValue(result.output) == ["city": "Oslo", "degrees": 7])
      let toolText = "\n\nThe tool weather said: \(result.output)"
      #expect(events[3] == .textDelta(toolText))
      #expect(response.outputText == "Let me see." + toolText)
      #expect(tools.backend.state.requests["responses"] == 2)
    }
  }

  /// Each call waits for the other, so neither ends unless both run.
  @Test(arguments: TestClient.policies)
  func callsRunConcurrently(_ policy: ChappieStreamingTransportPolicy) async throws {
    let started = Counter()
    let wait: ChappieHostTool.Handler = { call in
      await started.add()
      while await started.count < 2 { try await Task.sleep(for: .milliseconds(2)) }
      return ChappieToolResult(output: "\(call.name) done")
    }
    let tools = [ChappieHostTool.named("one", handler: wait), .named("two", handler: wait)]
    try await TestClient.with(policy, tools: tools) { tools in
      // This model makes several calls in one answer.
      tools.backend.restoreModel("gpt-5.5")
      let answer = try await tools.client.send("use one\nuse two")
      #expect(answer == "The tool one said: one done\nThe tool two said: two done")
    }
  }

  /// Invalid arguments never reach the handler.
  @Test func aFailureOrALongOutputDoesNotEndTheTurn() async throws {
    let calls = Counter()
    struct Rain: Error, CustomStringConvertible { let description = "it rains too hard" }
    struct ShopClosed: LocalizedError { let errorDescription: String? = "The shop opens at nine." }
    let tools = [
      ChappieHostTool.named("throws") { _ in throw Rain() },
      .named("explains") { _ in throw ShopClosed() },
      .named("fails") { _ in ChappieToolResult(failure: "no battery") },
      .named("read") { _ in ChappieToolResult(output: String(repeating: "ü", count: 1 << 20)) },
      ChappieHostTool(Self.weather.manifest) { _ in
        await calls.add()
        return ChappieToolResult(output: "")
      },
    ]
    try await TestClient.with(tools: tools) { tools in
      // This model makes several calls in one answer.
      tools.backend.restoreModel("gpt-5.5")
      let results = try await tools.results("use throws\nuse explains\nuse fails")
      #expect(results.map(\.status) == [.failed, .failed, .failed])
      #expect(
        Set(results.map(\.output)) == [
          "The tool failed: it rains too hard", "The tool failed: The shop opens at nine.", "no battery",
        ])
      let long = try #require(try await tools.results("use read").first?.output)
      #expect(long.hasSuffix("\n[cut here: the output had 2097152 bytes]") && long.utf8.count < 257 << 10)
      let invalid = try #require(try await tools.results(#"use weather {"city": 7}"#).first)
      #expect(invalid.status == .failed && invalid.duration == .zero)
      #expect(invalid.output.hasPrefix("The arguments do not fit the tool's schema"))
      #expect(await calls.count == 0)
    }
  }

  /// The harness decides a tool's description and policy; the program provides the handler.
  @Test func harnessOverridesDescriptionAndPolicy() async throws {
    let strict = ChappieHarnessTool(name: "look", description: "Looks where it is told to.", policy: .deny)
    let harness = ChappieHarness(tools: [strict])
    try await TestClient.with(.httpSSEOnly, harness: harness, tools: [.named("look")]) { tools in
      let results = try await tools.results("use look")
      #expect(results.map(\.status) == [.denied])
      let body = try ChappieJSONValue(parsing: tools.backend.state.lastResponsesBody.span)
      let declared = body["input"]?.arrayValue?.first { $0["type"] == "additional_tools" }?["tools"]?.arrayValue
      #expect(declared?.count == 1)
      #expect(declared?.first?["description"]?.stringValue == "Looks where it is told to.")
    }
  }

  @Test func timeLimitEndsACallDespiteItsHandler() async throws {
    let release = Counter()
    defer { Task { await release.add() } }
    let cancelled = Counter()
    let tools = [
      ChappieHostTool.named("deaf", timeLimit: .milliseconds(100)) { _ in
        // This handler ignores its cancellation. In the cancelled task itself each sleep would end at once, and the loop
        // would never leave the only thread that Swift has on one processor.
        await Task {
          while await release.count == 0 { try? await Task.sleep(for: .milliseconds(1)) }
        }.value
        return ChappieToolResult(output: "too late")
      },
      .named("polite", timeLimit: .milliseconds(100)) { _ in
        do { try await Task.sleep(for: .seconds(3600)) } catch { await cancelled.add() }
        return ChappieToolResult(output: "too late")
      },
    ]
    try await TestClient.with(tools: tools) { tools in
      // This model makes several calls in one answer.
      tools.backend.restoreModel("gpt-5.5")
      let results = try await tools.results("use deaf\nuse polite")
      #expect(results.map(\.status) == [.failed, .failed])
      #expect(Set(results.map(\.output)) == ["The tool did not answer within 0.1 seconds."])
      #expect(results.allSatisfy { $0.duration >= .milliseconds(100) })
      while await cancelled.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  /// Without an approval handler the user cannot approve a call.
  @Test func anErrorThatEndsTheTurnWaitsForNoOtherCall() async throws {
    let cancelled = Counter()
    let slow = ChappieHostTool.named("slow", timeLimit: .seconds(3600)) { _ in
      do { try await Task.sleep(for: .seconds(3600)) } catch { await cancelled.add() }
      return ChappieToolResult(output: "too late")
    }
    try await TestClient.with(tools: [slow, .named("asks", policy: .ask)]) { tools in
      // This model makes several calls in one answer.
      tools.backend.restoreModel("gpt-5.5")
      let denied = ChappieClientError.toolApprovalDenied("asks", "it must be approved, and nobody can be asked here.")
      await #expect(throws: denied) { try await tools.client.send("use slow\nuse asks") }
      while await cancelled.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(try await tools.client.send("Hello").contains("1 message."))
    }
  }

  @Test(arguments: TestClient.policies)
  func missingHandlersAndEndlessLoopsEndTheTurn(_ policy: ChappieStreamingTransportPolicy) async throws {
    let calls = Counter()
    let again = ChappieHostTool.named("again") { _ in
      await calls.add()
      return ChappieToolResult(output: "once more")
    }
    try await TestClient.with(policy, tools: [again]) { tools in
      try tools.backend.play(#"[{"endpoint": "responses", "tool_calls": [{"name": "fly"}]}]"#)
      await #expect(throws: ChappieClientError.missingToolHandler("fly")) { try await tools.client.send("go") }
      try tools.backend.play(#"[{"endpoint": "responses", "tool_calls": [{"name": "again"}], "times": "always"}]"#)
      await #expect(throws: ChappieClientError.toolLoopLimitExceeded(16)) { try await tools.client.send("go") }
      #expect(await calls.count == 16)
    }
  }
}

extension ChappieJSONValue {
  fileprivate init?(_ text: String) {
    guard let value = try? ChappieJSONValue(json: text) else { return nil }
    self = value
  }
}

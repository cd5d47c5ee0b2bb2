// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// Both transports through the public API only.
@Suite(.timeLimit(.minutes(10))) @GLibActor struct TransportTests {
  private static let clock = ChappieHostTool.named("clock") { _ in ChappieToolResult(output: "12:30") }

  @Test func conversationUsesOneSocket() async throws {
    try await TestClient.with { world in
      #expect(try await world.client.send("One").contains("1 message."))
      #expect(try await world.client.send("Two").contains("3 messages"))
      #expect(world.backend.state.lastResponsesTransport == "websocket")
      #expect(world.backend.state.requests["handshake"] == 1)
      #expect(world.backend.state.openSockets == 1)
      _ = await world.client.selectModel("gpt-6-sol")
      #expect(try await world.client.send("Three").contains("5 messages"))
      let body = try ChappieJSONValue(parsing: world.backend.state.lastResponsesBody.span)
      #expect(body["model"] == "gpt-6-sol")
      #expect(body["previous_response_id"] == nil)
      #expect(world.backend.state.requests["handshake"] == 1)
    }
  }

  @Test func policyCanDisableWebSocketAndTextsTakeOptions() async throws {
    try await TestClient.with(.httpSSEOnly) { world in
      let options = ChappieMessageOptions(outputSchema: ["type": "object", "properties": ["a": ["type": "string"]]])
      let first = try await world.client.send("One", options: options)
      #expect(first.hasPrefix("{") && first.contains("1 message."))
      for try await event in world.client.stream("Two", options: ChappieMessageOptions(model: "gpt-6-luna")) {
        guard case .completed(let response) = event else { continue }
        #expect(response.model == "gpt-6-luna" && response.outputText.contains("3 messages"))
      }
      #expect(world.backend.state.lastResponsesTransport == "http")
      #expect(world.backend.state.requests["handshake", default: 0] == 0)
    }
  }

  /// The replay may be interrupted too, before and after the position of the first drop.
  @Test(arguments: [[0], [3], [3, 1, 4]]) func droppedSocketIsInvisibleInTheStream(_ drops: [Int]) async throws {
    let text = "Zwölf 日本 👩‍👩‍👧 e\u{301} fünf"
    try await TestClient.with { world in
      let rules = drops.map { #", "drop_after": \#($0)"# } + [""]
      let answers = rules.map { #"{"endpoint": "responses", "text": "\#(text)"\#($0)}"# }
      try world.backend.play("[\(answers.joined(separator: ","))]")
      let events = try await world.events("Count")
      #expect(events.first == .textDelta(text) && events.count == 2)
      guard case .completed(let response)? = events.last else { throw UnmetCondition("the end") }
      #expect(response.outputText == text)
      #expect(world.backend.state.requests["handshake"] == drops.count + 1)
    }
  }

  /// The error contains all text that the user has seen, not only the last round's.
  @Test func differentAnswerAfterADropIsAnErrorWithTheEarlierText() async throws {
    try await TestClient.with(tools: [Self.clock]) { world in
      try world.backend.play(
        """
        [{"endpoint": "responses", "text": "Let me see.", "tool_calls": [{"name": "clock"}]},
         {"endpoint": "responses", "text": "It is late.", "drop_after": 2},
         {"endpoint": "responses", "text": "It was late."}]
        """)
      await #expect(throws: ChappieClientError.streamingTransportReplayDiverged("Let me see.\n\nIt is")) {
        try await world.client.send("What time is it?")
      }
      // The failed turn leaves the conversation unchanged.
      #expect(try await world.client.send("Again").contains("1 message."))
    }
  }

  /// Each round of a turn sends only new items, with the turn's routing token.
  @Test func toolOutputUsesTheSameSocket() async throws {
    try await TestClient.with(tools: [Self.clock]) { world in
      try world.backend.play(#"[{"endpoint": "responses", "tool_calls": [{"name": "clock"}]}]"#)
      #expect(try await world.client.send("What time is it?").contains("12:30"))
      #expect(world.backend.state.requests["handshake"] == 1)
      #expect(world.backend.state.requests["responses"] == 2)
      #expect(world.backend.state.turnStateGiven != nil)
      #expect(world.backend.state.turnStateSentBack == world.backend.state.turnStateGiven)
      let body = try ChappieJSONValue(parsing: world.backend.state.lastResponsesBody.span)
      #expect(body["input"]?.arrayValue?.map { $0["type"] } == ["function_call_output"])
      #expect(body["previous_response_id"]?.stringValue?.isEmpty == false)
      _ = try await world.client.send("And now?")
      #expect(world.backend.state.turnStateSentBack == nil)
    }
  }

  @Test func fallsBackToHTTPAfterTheLastAttempt() async throws {
    try await TestClient.with(ChappieStreamingTransportPolicy(maxWebSocketReconnectionAttempts: 0)) { world in
      try world.backend.play(
        """
        [{"endpoint": "responses", "text": "one two three", "drop_after": 2},
         {"endpoint": "responses", "text": "one two three"}]
        """)
      #expect(try await world.client.send("Count") == "one two three")
      #expect(world.backend.state.lastResponsesTransport == "http")
      #expect(try await world.client.send("Again").contains("3 messages"))
      #expect(world.backend.state.lastResponsesTransport == "http")
      #expect(world.backend.state.requests["handshake"] == 1)
    }
  }

  @Test func releasedClientLeavesNoSocket() async throws {
    let backend = try StandInBackend()
    do {
      let client = Chappie.client(configuration: try .testing(.signedIn, backend: backend))
      _ = try await client.send("Hello")
      #expect(backend.state.openSockets == 1)
    }
    try await eventually { backend.state.openSockets == 0 }
    await backend.stop()
  }
}

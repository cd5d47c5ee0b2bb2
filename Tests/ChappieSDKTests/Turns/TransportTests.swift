// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import TestSupport
import Testing

/// Both transports through the public API only.
@Suite(.timeLimit(.minutes(1))) @GLibActor struct TransportTests {
  private func with(
    _ policy: ChappieStreamingTransportPolicy = .default, tools: [ChappieHostTool] = [],
    _ body: @GLibActor (StandInBackend, ChappieClient) async throws -> Void
  ) async throws {
    try await TestClient.with(policy, tools: tools) { try await body($0.backend, $0.client) }
  }

  @Test func conversationUsesOneSocket() async throws {
    try await with { backend, client in
      #expect(try await client.send("One").contains("1 message."))
      #expect(try await client.send("Two").contains("3 messages"))
      #expect(backend.state.lastResponsesTransport == "websocket")
      #expect(backend.state.requests["handshake"] == 1)
      #expect(backend.state.openSockets == 1)
      _ = await client.selectModel("gpt-6-sol")
      #expect(try await client.send("Three").contains("5 messages"))
      let body = try ChappieJSONValue(parsing: backend.state.lastResponsesBody.span)
      #expect(body["model"] == "gpt-6-sol")
      #expect(body["previous_response_id"] == nil)
      #expect(backend.state.requests["handshake"] == 1)
    }
  }

  @Test func policyCanDisableWebSocket() async throws {
    try await with(.httpSSEOnly) { backend, client in
      let first = try await client.send("One")
      #expect(first.contains("1 message."))
      #expect(try await client.send("Two").contains("3 messages"))
      #expect(backend.state.lastResponsesTransport == "http")
      #expect(backend.state.requests["handshake", default: 0] == 0)
    }
  }

  @Test func droppedSocketIsInvisibleInTheStream() async throws {
    try await with { backend, client in
      try backend.play(
        """
        [{"endpoint": "responses", "text": "one two three four", "drop_after": 3},
         {"endpoint": "responses", "text": "one two three four"}]
        """)
      var deltas: [String] = []
      var whole: String?
      for try await event in client.stream("Count") {
        switch event {
        case .textDelta(let delta): deltas.append(delta)
        case .completed(let response): whole = response.outputText
        default: break
        }
      }
      #expect(deltas.joined() == "one two three four")
      #expect(whole == "one two three four")
      #expect(backend.state.requests["handshake"] == 2)
    }
  }

  @Test func differentAnswerAfterADropIsAnErrorWithTheEarlierText() async throws {
    try await with { backend, client in
      try backend.play(
        """
        [{"endpoint": "responses", "text": "one two three", "drop_after": 2},
         {"endpoint": "responses", "text": "eins zwei drei"}]
        """)
      await #expect(throws: ChappieClientError.streamingTransportReplayDiverged("one two")) {
        try await client.send("Count")
      }
      // The failed turn leaves the conversation unchanged.
      #expect(try await client.send("Again").contains("1 message."))
    }
  }

  /// The error contains all text that the user has seen, not only the last round's.
  @Test func earlierTextIncludesEarlierRounds() async throws {
    let clock = ChappieHostTool(name: "clock", description: "Tells the time.") { _ in ChappieToolResult(output: "12:30")
    }
    try await with(tools: [clock]) { backend, client in
      try backend.play(
        """
        [{"endpoint": "responses", "text": "Let me see.", "tool_calls": [{"name": "clock"}]},
         {"endpoint": "responses", "text": "It is late.", "drop_after": 2},
         {"endpoint": "responses", "text": "It was late."}]
        """)
      await #expect(throws: ChappieClientError.streamingTransportReplayDiverged("Let me see.\n\nIt is")) {
        try await client.send("What time is it?")
      }
    }
  }

  /// Each round of a turn sends only new items, with the turn's routing token.
  @Test func toolOutputUsesTheSameSocket() async throws {
    let clock = ChappieHostTool(name: "clock", description: "Tells the time.") { _ in ChappieToolResult(output: "12:30")
    }
    try await with(tools: [clock]) { backend, client in
      try backend.play(#"[{"endpoint": "responses", "tool_calls": [{"name": "clock"}]}]"#)
      #expect(try await client.send("What time is it?").contains("12:30"))
      #expect(backend.state.requests["handshake"] == 1)
      #expect(backend.state.requests["responses"] == 2)
      #expect(backend.state.turnStateGiven != nil)
      #expect(backend.state.turnStateSentBack == backend.state.turnStateGiven)
      let body = try ChappieJSONValue(parsing: backend.state.lastResponsesBody.span)
      #expect(body["input"]?.arrayValue?.map { $0["type"] } == ["function_call_output"])
      #expect(body["previous_response_id"]?.stringValue?.isEmpty == false)
      _ = try await client.send("And now?")
      #expect(backend.state.turnStateSentBack == nil)
    }
  }

  @Test func fallsBackToHTTPAfterTheLastAttempt() async throws {
    try await with(ChappieStreamingTransportPolicy(maxWebSocketReconnectionAttempts: 0)) { backend, client in
      try backend.play(
        """
        [{"endpoint": "responses", "text": "one two three", "drop_after": 2},
         {"endpoint": "responses", "text": "one two three"}]
        """)
      #expect(try await client.send("Count") == "one two three")
      #expect(backend.state.lastResponsesTransport == "http")
      #expect(try await client.send("Again").contains("3 messages"))
      #expect(backend.state.lastResponsesTransport == "http")
      #expect(backend.state.requests["handshake"] == 1)
    }
  }

  @Test func missingWebSocketIsAnErrorWithoutFallback() async throws {
    let policy = ChappieStreamingTransportPolicy(maxWebSocketReconnectionAttempts: 0, fallsBackToHTTPSSE: false)
    try await with(policy) { backend, client in
      try backend.play(#"[{"endpoint": "handshake", "status": 426}]"#)
      await #expect(throws: ChappieClientError.self) { try await client.send("Hello") }
      #expect(backend.state.requests["responses", default: 0] == 0)
    }
  }

  @Test func abandonedStreamLeavesNoSocket() async throws {
    try await with { backend, client in
      try backend.play(#"[{"endpoint": "responses", "text": "one two", "delta_delay_ms": 3600000}]"#)
      for try await event in client.stream("Count") {
        if case .textDelta = event { break }
      }
      try await eventually { backend.state.openSockets == 0 }
      #expect(backend.state.openStreams == 0)
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

// SPDX-License-Identifier: Apache-2.0

/// Section 4 of the protocol, over a real WebSocket.
@Suite @GLibActor struct SocketTests {
  @Test func oneSocketCarriesAConversation() async throws {
    let wire = try await Wire()
    let socket = try await wire.socket()
    let warm = try await socket.create(Body.request([Body.developer("Be kind.")]), ["generate": false])
    #expect(warm.types == ["response.created", "response.completed"])
    let warmID = try #require(warm.responseID)
    #expect(wire.backend.state.requests["prewarm"] == 1)
    let first = try await socket.create(Body.request([Body.user("One")]), ["previous_response_id": .string(warmID)])
    #expect(first.text == "You said: “One” This conversation has 1 message.")

    // A request can continue only the latest answer of its own socket.
    let latest = ["previous_response_id": ChappieJSONValue.string(try #require(first.responseID))]
    let foreign = try await wire.socket().create(Body.request([Body.user("Two")]), latest)
    let stale = try await socket.create(Body.request([Body.user("Two")]), ["previous_response_id": .string(warmID)])
    for refused in [foreign, stale] {
      #expect(refused.types == ["error"])
      #expect(refused.first?["error", "code"] == "previous_response_not_found")
    }
  }

  @Test func answersAnInvalidRequestWithAnErrorFrame() async throws {
    let wire = try await Wire()
    let socket = try await wire.socket()
    for text in ["{nope", "[]", #"{"type":"response.destroy"}"#] {
      socket.send(Array(text.utf8))
      let frames = try await socket.frames()
      #expect(frames.types == ["error"])
      #expect(frames.first?["status"]?.integerValue == 400)
    }
    let refused = try await socket.create(Body.request([Body.user("Hello")], ["store": true]))
    #expect(refused.first?["error", "message"] == "Store must be set to false")
    #expect(try await socket.create(Body.request([Body.user("Hello")])).types.last == "response.completed")
  }

  @Test func refusesRequestsAfterTheLifetimeOfTheSocket() async throws {
    let wire = try await Wire { $0.socketLifetime = .zero }
    let frames = try await wire.socket().create(Body.request([Body.user("Hello")]))
    #expect(frames.first?["error", "code"] == "websocket_connection_limit_reached")
  }

  // MARK: Handshakes

  @Test func requiresATokenButNoBetaHeader() async throws {
    let wire = try await Wire()
    #expect(try await wire.refusal() == nil)
    #expect(try await wire.refusal(["authorization": "Bearer nothing"])?.status == 401)
    #expect(try await wire.refusal(["authorization": ""])?.status == 401)
    #expect(try await wire.refusal(["openai-beta": ""]) == nil)
    #expect(wire.backend.state.requests["handshake"] == 4)
    wire.backend.expireAccessTokens()
    #expect(try await wire.refusal()?.status == 401)
  }

  @Test func refusesAGetWithoutAnUpgrade() async throws {
    let wire = try await Wire()
    let answer = try await wire.send(.get, "/backend-api/codex/responses")
    #expect(answer.status == 405)
    #expect(answer.headers["allow"] == "POST")
    let half = try await wire.send(
      .get, "/backend-api/codex/responses",
      headers: ["upgrade": "websocket", "openai-beta": "responses_websockets=2026-02-06"])
    #expect(half.status == 400)
  }

  @Test func refusesHandshakesIfWebSocketsAreDisabled() async throws {
    let wire = try await Wire { $0.allowsWebSocket = false }
    #expect(try await wire.refusal()?.status == 426)
    #expect(try await wire.refusal(["authorization": ""])?.status == 426)
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 200)
    #expect(wire.backend.state.lastResponsesTransport == "http")
  }

  // MARK: Rules

  @Test func aRuleHoldsAnAnswerUntilItIsReleased() async throws {
    let wire = try await Wire()
    try wire.backend.play(#"[{"endpoint": "responses", "text": "one two three four", "hold_after": 2}]"#)
    let socket = try await wire.socket()
    socket.send(Body.frame(Body.request([Body.user("Hello")])))
    var text = ""
    _ = try await socket.frames { frame in
      text += [frame].deltas
      return text != "one two"
    }
    #expect(try await wire.post("/sandbox/release", [:]).status == 200)
    #expect(try await socket.frames().deltas == " three four")
  }

  @Test func aRuleDoesNotApplyToAPrewarm() async throws {
    let wire = try await Wire()
    try wire.backend.play(#"[{"endpoint": "responses", "status": 500}]"#)
    let socket = try await wire.socket()
    let warm = try await socket.create(Body.request([Body.developer("Hello")]), ["generate": false])
    #expect(warm.types.last == "response.completed")
    #expect(try await socket.create(Body.request([Body.user("Hello")])).first?["status"]?.integerValue == 500)
    #expect(wire.backend.state.remainingRules == 0)
  }

  @Test func sendsTheHeadersOfARuleAsMetadata() async throws {
    let wire = try await Wire()
    try wire.backend.play(
      #"[{"endpoint": "responses", "headers": {"openai-model": "gpt-other", "x-codex-turn-state": "ts-1"}}]"#)
    let frames = try await wire.socket().create(Body.request([Body.user("Hello")]))
    let metadata = try #require(frames.first { $0.type == "response.metadata" })
    #expect(metadata["headers"] == ["openai-model": "gpt-other", "x-codex-turn-state": "ts-1"])
    #expect(wire.backend.state.turnStateGiven == "ts-1")
  }

  @Test func aFloodHasTheGivenNumberOfEventsAndTheEnd() async throws {
    let wire = try await Wire()
    try wire.backend.play(
      #"[{"endpoint": "responses", "flood": {"of": "unknown", "size": 5, "count": 3}, "times": 2}]"#)
    let expected = Array(repeating: "response.unknown", count: 3) + ["response.completed"]
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).events.types == expected)
    #expect(try await wire.socket().create(Body.request([Body.user("Hello")])).types == expected)
  }
}

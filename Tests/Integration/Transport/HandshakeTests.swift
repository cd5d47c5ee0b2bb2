// SPDX-License-Identifier: Apache-2.0

/// Refused handshakes, the fallback, the choice of the transport, and a WebSocket that drops during an answer.
@Suite(.worlds) @GLibActor
struct HandshakeTests {
  /// The refusal comes from the backend or from a proxy. A network that blocks a WebSocket once will block the next one;
  /// another refusal is for this turn alone.
  @Test func aRefusalSwitchesToHTTP() async throws {
    let lasting = [#""status":426"#, #""status":403"#, #""status":404"#, #""drop_after":0"#]
    let passing = [#""status":429"#, #""status":500"#, #""status":503"#]
    try await World.signedIn(each: lasting + passing) { world, caller, refused in
      let client = try await caller.open("Client")
      try await world.sandbox.play(#"[{"endpoint":"handshake",\#(refused)}]"#)
      #expect(try await caller.send("one", at: client).contains("1 message."))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "http")
      #expect(try await caller.send("two", at: client).contains("3 messages"))
      let isLasting = lasting.contains(refused)
      try await world.expectRequests(["handshake": isLasting ? 1 : 2, "responses": 2])
      let transport = try await world.sandbox.state().lastResponsesRequest.transport
      #expect(transport == (isLasting ? "http" : "websocket"))
      // Another client tries the WebSocket for itself.
      _ = try await caller.send("hi", at: caller.open("Client"))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "websocket")
    }
  }

  // MARK: Tokens

  /// One retry follows the refresh, and no more.
  @Test func aRefusedTokenIsRefreshedOnce() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    try await world.sandbox.play(#"[{"endpoint":"handshake","status":401,"times":2}]"#)
    let failure = try await caller.stream("one", at: client).end().failure
    #expect(failure.name == "HTTPError")
    #expect(try failure.details.value("status") == UInt32(401))
    #expect(failure.message.contains("sign in again"))
    try await world.expectRequests(["refresh": 1, "handshake": 2, "responses": 0])
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.send("two", at: client).contains("1 message."))
    #expect(try await world.sandbox.state().lastResponsesRequest.transport == "websocket")
  }

  /// The list of models has shown already that the token is refused.
  @Test func aTokenRefreshedForTheListIsNotRefreshedAgain() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.play(
      #"[{"endpoint":"models","status":401},{"endpoint":"handshake","status":401,"times":"always"}]"#)
    #expect(try await caller.stream("one").end().failure.name == "HTTPError")
    // One handshake is at the same time as the list, with the refused token.
    try await world.expectRequests(["refresh": 1, "models": 2, "handshake": 2])
  }

  // MARK: The choice of the transport

  @Test func aClientCanEnableAndDisableWebSocket() async throws {
    let (world, caller) = try await World.signedIn(.http)
    for (client, transport) in [
      (ObjectPath.chappie, "http"), (try await caller.open("Client", transports[0]), "websocket"),
      (try await caller.open("Client", transports[1]), "http"),
    ] {
      #expect(try await caller.send("hi", at: client).contains("hi"))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == transport)
    }
    #expect(try await world.sandbox.state().requests["handshake"] == 1)
  }

  // MARK: Drops

  /// It can be cancelled while it waits for the next attempt, too.
  @Test func aReconnectingTurnCanBeCancelled() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.play(
      #"[{"endpoint":"responses","text":"one two three","drop_after":2,"times":"always"}]"#)
    let client = try await caller.open("Client", World.Plan.Transport.webSocket.reconnecting(100))
    let turn = try await caller.stream("hi", at: client)
    try await eventually("a second attempt") { try await world.sandbox.state().requests["responses"] ?? 0 > 1 }
    try await turn.cancel()
    let failure = try await turn.end().failure
    #expect(failure.name == "Cancelled")
    #expect(failure.details.text("partial_text") == "one two")
    try turn.expectDeltas(of: "one two")
  }
}

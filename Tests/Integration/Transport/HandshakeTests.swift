// SPDX-License-Identifier: Apache-2.0

/// Refused handshakes, the fallback, the choice of the transport, and a WebSocket that drops during an answer: its
/// caller gets no text twice.
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

  @Test func aClientCanEnableWebSocket() async throws {
    let (world, caller) = try await World.signedIn(.http)
    let answer = try await caller.send("hi")
    #expect(answer.contains("hi"))
    #expect(try await world.sandbox.state().lastResponsesRequest.transport == "http")
    #expect(try await caller.send("hi", at: caller.open("Client", transports[0])).contains("hi"))
    #expect(try await world.sandbox.state().lastResponsesRequest.transport == "websocket")
  }

  @Test func aClientCanDisableWebSocket() async throws {
    let (world, caller) = try await World.signedIn()
    #expect(try await caller.send("hi", at: caller.open("Client", transports[1])).contains("hi"))
    let state = try await world.sandbox.state()
    #expect(state.lastResponsesRequest.transport == "http")
    #expect(state.requests["handshake"] == 0)
  }

  // MARK: Drops

  private static let text = "Zwölf 日本 👩‍👩‍👧 e\u{301} fünf"

  /// The rule of an answer, with more keys.
  private func answer(_ text: String = text, _ more: String = "") -> String {
    #"{"endpoint":"responses","text":"\#(text)"\#(more)}"#
  }

  /// The replay may be interrupted too, before and after the position of the first drop.
  @Test func dropsAreInvisibleToTheCaller() async throws {
    try await World.signedIn(each: [[0], [1], [3, 1, 4]]) { world, caller, drops in
      let rules = drops.map { answer(Self.text, #","drop_after":\#($0)"#) } + [answer()]
      try await world.sandbox.play("[\(rules.joined(separator: ","))]")
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().answer.text == Self.text)
      try turn.expectDeltas(of: Self.text)
      let state = try await world.sandbox.state()
      #expect(state.requests["handshake"] == drops.count + 1)
      #expect(state.requests["responses"] == drops.count + 1)
      #expect(state.lastResponsesRequest.transport == "websocket")
    }
  }

  /// The replay is another answer, or ends too early.
  @Test func aDivergentReplayEndsTheTurn() async throws {
    try await World.signedIn(each: ["one zwei three", "on", "one tw"]) { world, caller, replay in
      try await world.sandbox.play("[\(answer("one two three", #","drop_after":2"#)),\(answer(replay))]")
      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      #expect(failure.name == "StreamingTransportReplayDiverged")
      #expect(failure.message.contains("ask again"))
      #expect(failure.details.text("partial_text") == "one two")
      try turn.expectDeltas(of: "one two")
      #expect(try await turn.snapshot().status == "failed")
      #expect(try await world.sandbox.state().requests["responses"] == 2)
      #expect(try await caller.send("again").contains("again"))
    }
  }

  /// It can be cancelled while it waits for the next attempt, too.
  @Test func aReconnectingTurnCanBeCancelled() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.play("[\(answer("one two three", #","drop_after":2,"times":"always""#))]")
    let turn = try await caller.stream("hi")
    try await eventually("a second attempt") { try await world.sandbox.state().requests["responses"] ?? 0 > 1 }
    try await turn.cancel()
    let failure = try await turn.end().failure
    #expect(failure.name == "Cancelled")
    #expect(failure.details.text("partial_text") == "one two")
    try turn.expectDeltas(of: "one two")
  }
}

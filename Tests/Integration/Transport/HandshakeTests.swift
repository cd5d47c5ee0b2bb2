// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Refused handshakes, and the fallback.
@Suite(.worlds) @GLibActor
struct HandshakeTests {
  private let webSocket = World.Plan.Transport.webSocket

  /// The refusal comes from the backend or from a proxy.
  @Test func aPermanentRefusalSwitchesToHTTPForGood() async throws {
    try await World.signedIn(each: [426, 403, 404]) { world, caller, status in
      let client = try await caller.open("Client")
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":\#(status)}]"#)
      #expect(try await caller.send("one", at: client).contains("1 message."))
      #expect(try await caller.send("two", at: client).contains("3 messages"))
      let state = try await world.sandbox.state()
      #expect(state.requests["handshake"] == 1)
      #expect(state.requests["responses"] == 2)
      #expect(state.lastResponsesRequest.transport == "http")
      // Another client tries the WebSocket for itself.
      _ = try await caller.send("hi", at: caller.open("Client"))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "websocket")
    }
  }

  @Test func aTransientRefusalSwitchesThisTurnToHTTP() async throws {
    try await World.signedIn(each: [429, 500, 503]) { world, caller, status in
      let client = try await caller.open("Client")
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":\#(status)}]"#)
      let turn = try await caller.stream("one", at: client)
      #expect(try await turn.end().answer.text.contains("1 message."))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "http")
      #expect(try await caller.send("two", at: client).contains("3 messages"))
      let state = try await world.sandbox.state()
      #expect(state.requests["handshake"] == 2)
      #expect(state.lastResponsesRequest.transport == "websocket")
    }
  }

  /// The answer over HTTP has the reason of a refusal.
  @Test func aUsageLimitIsReportedWithItsReset() async throws {
    try await World.signedIn { world, caller in
      let body = #"{"error":{"type":"usage_limit_reached","plan_type":"pro","resets_at":1893456000}}"#
      try await world.sandbox.play(
        """
        [{"endpoint":"handshake","status":429,"body":\(body)},{"endpoint":"responses","status":429,"body":\(body)}]
        """)
      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      #expect(failure.name == "UsageLimitReached")
      #expect(failure.details.text("plan") == "pro")
      #expect(try failure.details.value("resets_at") == Int64(1_893_456_000))
      #expect(try await world.sandbox.state().requests["responses"] == 1)
    }
  }

  /// A network that blocks a WebSocket once will block the next one.
  @Test func anUnansweredHandshakeIsNotRetried() async throws {
    try await World.signedIn { world, caller in
      let client = try await caller.open("Client")
      try await world.sandbox.play(#"[{"endpoint":"handshake","drop_after":0}]"#)
      #expect(try await caller.send("one", at: client).contains("1 message."))
      #expect(try await caller.send("two", at: client).contains("3 messages"))
      let state = try await world.sandbox.state()
      #expect(state.requests["handshake"] == 1)
      #expect(state.lastResponsesRequest.transport == "http")
    }
  }

  // MARK: Tokens

  @Test func aRefusedTokenIsRefreshed() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":401}]"#)
      #expect(try await caller.send("hi").contains("hi"))
      let state = try await world.sandbox.state()
      #expect(state.requests["refresh"] == 1)
      #expect(state.requests["handshake"] == 2)
      #expect(state.requests["responses"] == 1)
      #expect(state.lastResponsesRequest.transport == "websocket")
    }
  }

  /// One retry follows the refresh, and no more.
  @Test func aTokenRefusedTwiceIsNotRetried() async throws {
    try await World.signedIn { world, caller in
      let client = try await caller.open("Client")
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":401,"times":2}]"#)
      let failure = try await caller.stream("one", at: client).end().failure
      #expect(failure.name == "HTTPError")
      #expect(try failure.details.value("status") == UInt32(401))
      #expect(failure.message.contains("sign in again"))
      var state = try await world.sandbox.state()
      #expect(state.requests["refresh"] == 1)
      #expect(state.requests["handshake"] == 2)
      #expect(state.requests["responses"] == 0)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("two", at: client).contains("1 message."))
      state = try await world.sandbox.state()
      #expect(state.lastResponsesRequest.transport == "websocket")
    }
  }

  /// The list of models has shown already that the token is refused.
  @Test func aTokenRefreshedForTheListIsNotRefreshedAgain() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(
        #"[{"endpoint":"models","status":401},{"endpoint":"handshake","status":401,"times":"always"}]"#)
      #expect(try await caller.stream("one").end().failure.name == "HTTPError")
      let state = try await world.sandbox.state()
      #expect(state.requests["refresh"] == 1)
      #expect(state.requests["models"] == 2)
      // One of them at the same time as the list, with the refused token.
      #expect(state.requests["handshake"] == 2)
    }
  }

  // MARK: Without HTTP

  @Test func aClientThatDoesNotFallBackFails() async throws {
    let refusals = [
      (status: 401, error: "HTTPError"), (status: 403, error: "HTTPError"), (status: 426, error: "HTTPError"),
      (status: 429, error: "RateLimited"), (status: 503, error: "HTTPError"),
    ]
    try await World.signedIn(each: refusals) { world, caller, test in
      let client = try await caller.open("Client", webSocket.reconnecting(1))
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":\#(test.status),"times":"always"}]"#)
      let turn = try await caller.stream("hi", at: client)
      let failure = try await turn.end().failure
      #expect(failure.name == test.error)
      #expect(try failure.details.value("status") == UInt32(test.status))
      let state = try await world.sandbox.state()
      #expect(state.requests["handshake"] == 2)
      #expect(state.requests["responses"] == 0)
      try await world.sandbox.play("[]")
      #expect(try await caller.send("again", at: client).contains("again"))
    }
  }
}

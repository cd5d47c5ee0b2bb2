// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Refused handshakes, the fallback, and the choice of the transport.
@Suite(.worlds) @GLibActor
struct HandshakeTests {
  private let webSocket = World.Plan.Transport.webSocket

  /// The refusal comes from the backend or from a proxy. A network that blocks a WebSocket once will block the next one.
  @Test func aPermanentRefusalSwitchesToHTTPForGood() async throws {
    let refusals = [#""status":426"#, #""status":403"#, #""status":404"#, #""drop_after":0"#]
    try await World.signedIn(each: refusals) { world, caller, refused in
      let client = try await caller.open("Client")
      try await world.sandbox.play(#"[{"endpoint":"handshake",\#(refused)}]"#)
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

  // MARK: Tokens

  @Test func aRefusedTokenIsRefreshedOnce() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":401}]"#)
      #expect(try await caller.send("hi").contains("hi"))
      let state = try await world.sandbox.state()
      #expect(state.requests["refresh"] == 1)
      #expect(state.requests["handshake"] == 2)
      #expect(state.requests["responses"] == 1)
      #expect(state.lastResponsesRequest.transport == "websocket")

      // One retry follows the refresh, and no more.
      try await world.sandbox.forget()
      let client = try await caller.open("Client")
      try await world.sandbox.play(#"[{"endpoint":"handshake","status":401,"times":2}]"#)
      let failure = try await caller.stream("one", at: client).end().failure
      #expect(failure.name == "HTTPError")
      #expect(try failure.details.value("status") == UInt32(401))
      #expect(failure.message.contains("sign in again"))
      let refused = try await world.sandbox.state()
      #expect(refused.requests["refresh"] == 1)
      #expect(refused.requests["handshake"] == 2)
      #expect(refused.requests["responses"] == 0)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("two", at: client).contains("1 message."))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "websocket")
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

  // MARK: The choice of the transport

  @Test func aClientCanEnableWebSocket() async throws {
    try await World.signedIn(.http) { world, caller in
      let answer = try await caller.send("hi")
      #expect(answer.contains("hi"))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "http")
      #expect(try await caller.send("hi", at: caller.open("Client", transports[0])).contains("hi"))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "websocket")
    }
  }

  @Test func aClientCanDisableWebSocketAndReconnections() async throws {
    try await World.signedIn { world, caller in
      #expect(try await caller.send("hi", at: caller.open("Client", transports[1])).contains("hi"))
      let state = try await world.sandbox.state()
      #expect(state.lastResponsesRequest.transport == "http")
      #expect(state.requests["handshake"] == 0)
      // A negative limit means none.
      let client = try await caller.open("Client", webSocket.reconnecting(-3))
      try await world.sandbox.play(#"[{"endpoint":"responses","drop_after":0}]"#)
      try await expectRefusal("Network") { try await caller.send("hi", at: client) }
      #expect(try await world.sandbox.state().requests["handshake"] == 1)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import TestSupport
import Testing

/// Section 4 of the protocol, over a real WebSocket.
@Suite @GLibActor struct SocketTests {
  @Test func oneSocketCarriesAConversation() async throws {
    let wire = try await Wire()
    let socket = try await wire.socket()
    let warm = try await socket.create(Body.request([Body.developer("Be kind.")]), ["generate": false])
    #expect(warm.types == ["response.created", "response.completed"])
    let warmID = try #require(warm.responseID)

    let first = try await socket.create(
      Body.request([Body.user("One")]), ["previous_response_id": .string(warmID)])
    #expect(first.text == "You said: “One” This conversation has 1 message.")
    let firstID = try #require(first.responseID)
    let second = try await socket.create(
      Body.request([Body.user("Two")]), ["previous_response_id": .string(firstID)])
    #expect(second.text == "You said: “Two” This conversation has 3 messages.")

    // A request can continue only the latest answer.
    let stale = try await socket.create(
      Body.request([Body.user("Three")]), ["previous_response_id": .string(firstID)])
    #expect(stale.first?["error", "code"] == "previous_response_not_found")
    let latest = ["previous_response_id": ChappieJSONValue.string(try #require(second.responseID))]
    let foreign = try await wire.socket().create(Body.request([Body.user("Three")]), latest)
    #expect(foreign.types == ["error"])
    #expect(foreign.first?["error", "code"] == "previous_response_not_found")
    let full = try await socket.create(Body.request([Body.user("Three")]))
    #expect(full.text == "You said: “Three” This conversation has 1 message.")
    #expect(wire.backend.state.requests["prewarm"] == 1)
    #expect(wire.backend.state.requests["handshake"] == 2)
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

  @Test func anAnswerEndsWithItsConnection() async throws {
    let wire = try await Wire()
    try wire.backend.play(
      #"[{"endpoint": "responses", "hang": true}, {"endpoint": "responses", "delta_delay_ms": 60000}]"#)
    for started in 1...2 {
      let socket = try await wire.socket()
      socket.send(Body.frame(Body.request([Body.user("Hello there")])))
      try await eventually { wire.backend.state.requests["responses"] == started }
      #expect(wire.backend.state.openSockets == 1)
      socket.close()
      try await eventually { wire.backend.state.openSockets == 0 }
      #expect(wire.backend.state.openStreams == 0)
    }
  }
}

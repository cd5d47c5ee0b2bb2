// SPDX-License-Identifier: Apache-2.0
import ChappieSDKTesting
import GLibBridge
import TestSupport
import Testing

/// The stand-in accepts or refuses the handshakes of WebSockets.
@Suite @GLibActor struct HandshakeTests {
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

  @Test func aRuleDelaysDropsOrHoldsAHandshake() async throws {
    let wire = try await Wire()
    try wire.backend.play(
      """
      [{"endpoint": "handshake", "delay_ms": 1}, {"endpoint": "handshake", "drop_after": 0},
       {"endpoint": "handshake", "hang": true}]
      """)
    #expect(try await wire.refusal() == nil)
    await #expect(throws: GLibError.self) { try await wire.socket() }
    let waiting = Task.onGLib { try? await wire.socket() }
    try await eventually { wire.backend.state.requests["handshake"] == 3 }
    waiting.cancel()
    #expect(await waiting.value == nil)
    #expect(try await wire.refusal() == nil)
  }

  @Test func refusesHandshakesIfWebSocketsAreDisabled() async throws {
    let wire = try await Wire { $0.allowsWebSocket = false }
    #expect(try await wire.refusal()?.status == 426)
    #expect(try await wire.refusal(["authorization": ""])?.status == 426)
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 200)
    #expect(wire.backend.state.lastResponsesTransport == "http")
  }
}

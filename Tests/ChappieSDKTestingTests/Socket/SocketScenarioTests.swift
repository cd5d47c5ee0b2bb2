// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import TestSupport
import Testing

/// Rules of the endpoint `responses` on a WebSocket.
@Suite @GLibActor struct SocketScenarioTests {
  private let wire: Wire

  init() async throws {
    wire = try await Wire()
  }

  @Test func aStatusBecomesAnErrorFrame() async throws {
    try wire.backend.play(
      """
      [{"endpoint": "responses", "status": 429, "headers": {"retry-after": "3"},
        "body": {"error": {"type": "usage_limit_reached", "plan_type": "plus", "resets_at": 1893456000}}},
       {"endpoint": "responses", "status": 503, "body": "busy"}]
      """)
    let socket = try await wire.socket()
    let limit = try #require(try await socket.create(Body.request([Body.user("Hello")])).first)
    #expect(limit.type == "error")
    #expect(limit["status"]?.integerValue == 429)
    #expect(limit["error", "type"] == "usage_limit_reached")
    #expect(limit["error", "resets_at"]?.integerValue == 1_893_456_000)
    #expect(limit["headers", "retry-after"] == "3")
    #expect(limit["headers", "x-codex-primary-used-percent"] == "12.0")
    let busy = try #require(try await socket.create(Body.request([Body.user("Hello")])).first)
    #expect(busy["status"]?.integerValue == 503)
    #expect(busy["error", "message"] == "busy")
    #expect(try await socket.create(Body.request([Body.user("Hello")])).types.last == "response.completed")
  }

  @Test func aRuleEndsASocketDuringAnAnswer() async throws {
    for key in ["drop_after", "end_after"] {
      try wire.backend.play(#"[{"endpoint": "responses", "text": "one two three four", "\#(key)": 2}]"#)
      let frames = try await cut(wire)
      #expect(frames.deltas == "one two", "\(key)")
      #expect(!frames.types.contains("response.completed"), "\(key)")
    }
    // So do bytes that are no events.
    for (rule, messages) in [(#""raw": """#, 0), (#""raw": "{nope""#, 1), (#""status": 200, "body": "<html>""#, 1)] {
      try wire.backend.play(#"[{"endpoint": "responses", \#(rule)}]"#)
      #expect(try await cut(wire) == [ChappieJSONValue](repeating: .null, count: messages), "\(rule)")
    }
  }

  @Test func aRuleHoldsAnAnswerUntilItIsReleased() async throws {
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
    try wire.backend.play(#"[{"endpoint": "responses", "status": 500}]"#)
    let socket = try await wire.socket()
    let warm = try await socket.create(Body.request([Body.developer("Hello")]), ["generate": false])
    #expect(warm.types.last == "response.completed")
    #expect(try await socket.create(Body.request([Body.user("Hello")])).first?["status"]?.integerValue == 500)
    #expect(wire.backend.state.remainingRules == 0)
  }

  @Test func sendsTheHeadersOfARuleAsMetadata() async throws {
    try wire.backend.play(
      #"[{"endpoint": "responses", "headers": {"openai-model": "gpt-other", "x-codex-turn-state": "ts-1"}}]"#)
    let frames = try await wire.socket().create(Body.request([Body.user("Hello")]))
    let metadata = try #require(frames.first { $0.type == "response.metadata" })
    #expect(metadata["headers"] == ["openai-model": "gpt-other", "x-codex-turn-state": "ts-1"])
    #expect(wire.backend.state.turnStateGiven == "ts-1")
  }

  /// Requests an answer whose connection ends early, and returns its frames.
  private func cut(_ wire: Wire) async throws -> [ChappieJSONValue] {
    let socket = try await wire.socket()
    socket.send(Body.frame(Body.request([Body.user("Hello")])))
    let frames = await socket.remainder()
    try await eventually { wire.backend.state.openSockets == 0 }
    return frames
  }
}

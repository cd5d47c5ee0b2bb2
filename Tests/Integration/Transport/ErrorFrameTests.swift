// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Error frames of the backend over a WebSocket, transient and permanent.
@Suite(.worlds) @GLibActor
struct ErrorFrameTests {
  private func failed(_ code: String, _ message: String = "Hm.") -> String {
    """
    [{"endpoint":"responses","events":[{"type":"response.created","response":{"id":"r"}},
      {"type":"response.failed","response":{"id":"r","error":{"code":"\(code)","message":"\(message)"}}}]}]
    """
  }

  @Test func aTransientFailureIsRetried() async throws {
    try await World.signedIn(each: ["server_error", "something_new", ""]) { world, caller, code in
      try await world.sandbox.play(failed(code))
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().answer.text.contains("hi"))
      #expect(turn.endCount == 1)
      let state = try await world.sandbox.state()
      #expect(state.requests["handshake"] == 2)
      #expect(state.requests["responses"] == 2)
    }
  }

  @Test func aPermanentFailureEndsTheTurn() async throws {
    let codes = [
      "context_length_exceeded", "usage_not_included", "cyber_policy", "misalignment_policy_violation",
      "invalid_prompt", "bio_policy", "server_is_overloaded", "insufficient_quota",
    ]
    try await World.signedIn(each: codes) { world, caller, code in
      try await world.sandbox.play(failed(code, "So it is."))
      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      let isLimit = code == "insufficient_quota"
      #expect(failure.name == (isLimit ? "UsageLimitReached" : "HTTPError"))
      #expect(isLimit || failure.message.contains("So it is."))
      #expect(turn.endCount == 1)
      #expect(try await world.sandbox.state().requests["responses"] == 1)
      try await eventually("the socket to be closed") { try await world.sandbox.state().openSockets == 0 }
    }
  }

  nonisolated static let finalEvents: [(code: String, name: String)] = [
    ("insufficient_quota", "UsageLimitReached"), ("subscription_sharing_usage_limit_exceeded", "UsageLimitReached"),
    ("subscription_sharing_user_not_eligible", "PlanUseNotEligible"),
    ("subscription_sharing_route_not_supported", "HTTPError"), ("invalid_prompt", "HTTPError"),
  ]

  @Test(arguments: World.Plan.Transport.allCases)
  func anErrorEventEndsTheTurn(over transport: World.Plan.Transport) async throws {
    let cases = ["error", "nested-error"].flatMap { event in Self.finalEvents.map { (event, $0.code, $0.name) } }
    try await World.signedIn(World.Plan(transport: transport), each: cases) { world, caller, test in
      let (event, code, name) = test
      // The second answer comes over a socket that is in use.
      _ = try await caller.send("first", ["continue": true])
      try await world.sandbox.play(
        """
        [{"endpoint":"responses","refusal":"\(code)","in_stream":"\(event)","times":"always"}]
        """)
      try await expectRefusal(name) { try await caller.send("hi", ["continue": true]) }
      #expect(try await world.sandbox.state().requests["responses"] == 2)
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func anErrorEventThatMayPassIsTriedAgain(over transport: World.Plan.Transport) async throws {
    let events = ["error", "nested-error"]
    try await World.signedIn(World.Plan(transport: transport), each: events) { world, caller, event in
      try await world.sandbox.play(
        """
        [{"endpoint":"responses","refusal":"server_error","in_stream":"\(event)"},
         {"endpoint":"responses","refusal":"rate_limit_exceeded","in_stream":"\(event)"}]
        """)
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["responses"] == 3)
    }
  }
}

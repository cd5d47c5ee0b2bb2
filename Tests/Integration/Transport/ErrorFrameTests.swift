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
      "invalid_prompt", "bio_policy", "server_is_overloaded",
    ]
    try await World.signedIn(each: codes) { world, caller, code in
      try await world.sandbox.play(failed(code, "So it is."))
      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      #expect(failure.name == "HTTPError")
      #expect(failure.message.contains("So it is."))
      #expect(turn.endCount == 1)
      #expect(try await world.sandbox.state().requests["responses"] == 1)
      try await eventually("the socket to be closed") { try await world.sandbox.state().openSockets == 0 }
    }
  }

  // MARK: The event of the public API, without a status

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

  // MARK: Limits

  @Test func anExhaustedQuotaEndsTheTurn() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(failed("insufficient_quota"))
      try await expectRefusal("UsageLimitReached") { try await caller.send("hi") }
      #expect(try await world.sandbox.state().requests["responses"] == 1)
    }
  }

  /// The client's own backoff policy applies, as for a 429 over HTTP.
  @Test func aRateLimitFollowsThePolicy() async throws {
    try await World.signedIn(each: ["slow_down", "rate_limit_exceeded"]) { world, caller, code in
      let policy: VariantDictionary = ["max_retries": Int32(1), "maximum_delay": 0.01]
      let client = try await caller.open("Client", ["rate_limit_backoff": policy])
      try await world.sandbox.play(failed(code, "Please try again in 1 seconds."))
      #expect(try await caller.send("hi", at: client).contains("hi"))
      #expect(try await world.sandbox.state().requests["responses"] == 2)

      let never = try await caller.open(
        "Client", ["rate_limit_backoff": ["max_retries": Int32(0)] as VariantDictionary])
      try await world.sandbox.play(failed(code, "Easy."))
      let refused = try await refusal { try await caller.send("hi", at: never) }
      #expect(refused.name == "RateLimited")
      #expect(refused.message.contains("Easy."))
    }
  }

  @Test func aUsageLimitIsReported() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(
        """
        [{"endpoint":"responses","status":429,
          "body":{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_at":1893456000}}}]
        """)
      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      #expect(failure.name == "UsageLimitReached")
      #expect(failure.details.text("plan") == "plus")
      #expect(try failure.details.value("resets_at") == Int64(1_893_456_000))
      #expect(try await world.sandbox.state().requests["responses"] == 1)
      #expect(try await caller.send("another day").contains("another day"))
    }
  }
}

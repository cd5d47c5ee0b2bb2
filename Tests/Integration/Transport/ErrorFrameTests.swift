// SPDX-License-Identifier: Apache-2.0

/// Error frames of the backend over a WebSocket, transient and permanent.
@Suite(.worlds) @GLibActor
struct ErrorFrameTests {
  @Test func aFailureEndsTheTurnOrIsRetried() async throws {
    let transient = ["server_error", "something_new", ""]
    let permanent = [
      "context_length_exceeded", "usage_not_included", "cyber_policy", "misalignment_policy_violation",
      "invalid_prompt", "bio_policy", "server_is_overloaded", "insufficient_quota",
    ]
    try await World.signedIn(each: transient + permanent) { world, caller, code in
      try await world.sandbox.play(
        """
        [{"endpoint":"responses","events":[{"type":"response.created","response":{"id":"r"}},
          {"type":"response.failed","response":{"id":"r","error":{"code":"\(code)","message":"So it is."}}}]}]
        """)
      if transient.contains(code) {
        #expect(try await caller.send("hi").contains("hi"))
        try await world.expectRequests(["handshake": 2, "responses": 2])
      } else if code == "insufficient_quota" {
        try await expectRefusal("UsageLimitReached") { try await caller.send("hi") }
      } else {
        try await expectRefusal("HTTPError", saying: "So it is.") { try await caller.send("hi") }
        #expect(try await world.sandbox.state().requests["responses"] == 1)
        try await eventually("the socket to be closed") { try await world.sandbox.state().openSockets == 0 }
      }
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

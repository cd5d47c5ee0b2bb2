// SPDX-License-Identifier: Apache-2.0

/// The use of the user's plan through OpenAI's public API.
@Suite(.worlds) @GLibActor
struct BrowserPlanTests {
  private func begin() async throws -> (World, Caller) {
    let world = try await World.begin(.browser())
    return (world, try await world.callerSignedInInBrowser())
  }

  private func planUse(_ caller: Caller) async throws -> String {
    try await caller.property("Session.PlanUse")
  }

  @Test func withoutConsentNothingIsSent() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    try await world.user.signIn(caller, deciding: ["plan_use": "false"])
    #expect(try await caller.state() == "signed-in")
    #expect(try await planUse(caller) == "not-granted")
    #expect(try await caller.availability() == ["cannot", "allow-plan-use", "PlanUseNotGranted"])
    try await expectRefusal("PlanUseNotGranted") { try await caller.send("hi") }
    let requests = try await world.sandbox.state().requests
    #expect(requests["api-responses"] == 0 && requests["api-models"] == 0)
    // The user changes the decision.
    let address = try await world.user.start(caller, ["enable_plan_use": true])
    #expect(query("prompt", of: address) == "consent")
    try await world.user.finish(address)
    try await caller.waitFor("enabled", "Session.PlanUse")
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().registrations.count == 1)
  }

  nonisolated static let refusals: [(String, String, String)] = [
    ("policy", "HTTPError", "enabled"), ("subscription_sharing_invalid_user", "HTTPError", "enabled"),
    ("subscription_sharing_user_not_eligible", "PlanUseNotEligible", "not-eligible"),
    ("subscription_sharing_route_not_supported", "HTTPError", "enabled"),
    ("chatpass_v2_scope_not_authorized", "PlanUseNotGranted", "not-granted"),
    ("chatpass_v2_invalid_authorization_context", "PlanUseNotGranted", "not-granted"),
    ("subscription_sharing_usage_limit_exceeded", "UsageLimitReached", "limit-reached"),
    ("subscription_sharing_unsupported_capability", "UnsupportedCapability", "enabled"),
  ]

  /// The public API answers with a status, or ends an answer with an `error` event, in which none is.
  @Test func eachRefusalHasItsErrorAndIsNotRepeated() async throws {
    let (world, caller) = try await begin()
    var cases = Self.refusals.map { ($0, "") }
    for form in [#","in_stream":"error""#, #","in_stream":"nested-error""#] {
      cases += Self.refusals.filter { $0.0 != "policy" }.map { ($0, form) }
    }
    cases += Self.refusals.filter { $0.1 == "UsageLimitReached" }.map { ($0, #","in_stream":true"#) }
    try await world.each(cases) { refused, form in
      let (code, name, use) = refused
      try await world.sandbox.play(
        "[{\"endpoint\":\"api-responses\",\"refusal\":\"\(code)\",\"param\":\"model\",\"times\":\"always\"\(form)}]")
      try await expectRefusal(name) { try await caller.send("hi") }
      #expect(try await planUse(caller) == use)
      #expect(try await caller.availability().last == (use == "enabled" ? "" : name))
      try await world.expectRequests(["api-responses": 1, "browser-refresh": 0])
      // The next answer clears the state, and the sign-in has stayed.
      #expect(try await caller.state() == "signed-in")
      try await world.sandbox.play("[]")
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await planUse(caller) == "enabled")
    }
  }

  @Test func aPassingRefusalIsTriedAgain() async throws {
    let refusals = [
      "subscription_sharing_usage_unavailable", "subscription_sharing_user_unavailable",
      "direct_routing_unavailable", "rate_limit_exceeded",
    ]
    let (world, caller) = try await begin()
    try await world.each(refusals) { refused in
      try await world.sandbox.play("[{\"endpoint\":\"api-responses\",\"refusal\":\"\(refused)\"}]")
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["api-responses"] == 2)
      #expect(try await planUse(caller) == "enabled")
    }
    // A lasting outage is told.
    try await world.sandbox.play(
      #"[{"endpoint":"api-responses","refusal":"subscription_sharing_usage_unavailable","times":"always"}]"#)
    try await expectRefusal("HTTPError") { try await caller.send("hi") }
    #expect(try await planUse(caller) == "unavailable")
    #expect(try await caller.state() == "signed-in")
  }

  @Test func whatThePublicAPIOffersWorks() async throws {
    let (world, caller) = try await begin()
    // An insistence on sockets is refused before anything is sent.
    let policy: VariantDictionary = ["prefers_web_socket": true, "falls_back_to_http_sse": false]
    let client = try await caller.open("Client", ["streaming_transport_policy": policy])
    try await expectRefusal("UnsupportedCapability", saying: "streaming_transport_policy") {
      try await caller.send("hi", at: client)
    }
    #expect(try await world.sandbox.state().requests["api-responses"] == 0)
    // Usage has no figures.
    let limits: VariantDictionary = try await caller.call("Client.GetUsageLimits").member(0, "limits")
    #expect(limits.isEmpty)
    #expect(try await world.sandbox.state().requests["usage"] == 0)

    let models: [VariantDictionary] = try await caller.call("Client.ListModels", VariantDictionary())
      .member(0, "models")
    #expect(models.allSatisfy { $0["supported_in_api"] == true.variant })
    #expect(try await caller.property("Client.Model") == models.first?.text("slug"))
    let schema =
      #"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#
    #expect(try await caller.send("hi", ["output_schema": schema]).hasPrefix("{"))
    let image = "data:image/png;base64,iVBORw0KGgo="
    #expect(try await caller.send("hi", ["images": [image]]).contains("image"))
    #expect(try await world.sandbox.state().lastImages == [image])
    let messages = [Message("system", "Be brief."), Message("user", "hi")]
    try await caller.call("Client.Respond", messages, VariantDictionary())
    #expect(try await world.sandbox.state().lastInput.first?.hasPrefix("developer:") == true)
  }
}

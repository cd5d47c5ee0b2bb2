// SPDX-License-Identifier: Apache-2.0

/// The usage of the plan, from the backend to the bus.
@Suite(.worlds) @GLibActor
struct UsageLimitsTests {
  private nonisolated static let reset: Int64 = 1_893_456_000
  private nonisolated static let some = """
    {"plan":"pro","primary":{"used_percent":42,"window_minutes":300,"reset_at":1893456000,"growth":1},
     "secondary":{"used_percent":7,"window_minutes":10080,"reset_at":1893456001,"growth":0},
     "credits":{"has_credits":true,"unlimited":false,"balance":"12.3"}}
    """

  @Test func limitsCanBeRequested() async throws {
    let (world, caller) = try await World.signedIn()
    #expect(try await caller.usage().isEmpty)
    try await world.sandbox.setUsage(Self.some)
    let reply = try await caller.call("Client.GetUsageLimits").member(0, "limits", as: VariantDictionary.self)
    #expect(
      reply == [
        "plan": "pro",
        "primary": [
          "used_percent": 42.0, "window_minutes": UInt32(300), "resets_at": Self.reset,
        ] as VariantDictionary,
        "secondary": [
          "used_percent": 7.0, "window_minutes": UInt32(10080), "resets_at": Self.reset + 1,
        ] as VariantDictionary,
        "credits": ["has_credits": true, "unlimited": false, "balance": "12.3"] as VariantDictionary,
      ])
    #expect(try await caller.property("Client.UsageLimits") == reply)
    // Another sign-in is not affected.
    try await caller.signIn(account: "work")
    let client = try await caller.open("Client", ["keychain_account": "work"])
    #expect(try await caller.usage(at: client).isEmpty)

    // Missing values stay missing.
    try await world.sandbox.setUsage(#"{"secondary":null}"#)
    let limits = try await caller.requestUsage()
    #expect(limits.primary?.usedPercent == 42)
    #expect(limits.secondary == nil)
    try await world.sandbox.play(#"[{"endpoint":"usage","body":{"plan_type":"free"}}]"#)
    let free = try await caller.call("Client.GetUsageLimits").member(0, "limits", as: VariantDictionary.self)
    #expect(free == ["plan": "free"])
    #expect(try await caller.usage().primary == nil)
  }

  @Test(arguments: transports)
  func limitsArriveWithAnAnswer(_ transport: VariantDictionary) async throws {
    let (world, caller) = try await World.signedIn()
    let other = try await world.caller()
    let client = try await caller.open("Client", transport)
    // Header fields do not name the plan: it is known from the sign-in.
    _ = try await caller.send("hi", at: client)
    #expect(try await caller.usage().plan == "plus")
    // A reply without signals is for callers that want the answer alone.
    #expect(caller.signals("UsageLimitsUpdated").isEmpty)

    // A panel that watches another client sees the change, without the value: it reads the property.
    try await other.catchUp()
    let changes = other.usageChanges()
    try await world.sandbox.setUsage(Self.some)
    let turn = try await caller.stream("hi", at: client)
    _ = try await turn.end().answer
    let updates = caller.signals("UsageLimitsUpdated", at: client)
    #expect(updates.count == 1)
    let update = try #require(updates.first)
    #expect(try update.arguments.member(0, "turn") == turn.id)
    let limits = try UsageLimits(try update.arguments.member(1, "limits"))
    #expect(limits.primary?.usedPercent == 43)
    #expect(limits.secondary?.resetsAt == Self.reset + 1)
    #expect(limits.credits?.text("balance") == "12.3")
    // All clients of the sign-in have the new limits, and the turn's signal went to its caller alone.
    #expect(try await caller.usage(at: client) == limits)
    #expect(try await other.usage() == limits)
    try await other.catchUp()
    #expect(other.signals("UsageLimitsUpdated").isEmpty)
    #expect(other.usageChanges() == changes + 1)
    #expect(try other.changedValues("UsageLimits", of: "Client", as: VariantDictionary.self).isEmpty)
    // Limits end with the sign-in.
    try await caller.call("Session.SignOut")
    #expect(try await other.usage().isEmpty)
    try await other.catchUp()
    #expect(other.usageChanges() == changes + 2)
  }

  /// The service answers the call of an unknown tool itself, so the turn adds up two counts.
  @Test func impossibleCountsOfTokensAddUp() async throws {
    let (world, caller) = try await World.signedIn()
    let call = #"{"type":"custom_tool_call","id":"ctc_1","call_id":"call_1","name":"unknown","input":"x"}"#
    for number in ["9223372036854775807", "-9223372036854775808", "9007199254740992", "1e308"] {
      let details = #"{"cached_tokens":\#(number),"reasoning_tokens":\#(number)}"#
      let usage = """
        {"input_tokens":\(number),"output_tokens":\(number),"input_tokens_details":\(details),\
        "output_tokens_details":\(details)}
        """
      let rules = ["resp_1", "resp_2"].map { id in
        let item = id == "resp_1" ? #"{"type":"response.output_item.done","item":\#(call)},"# : ""
        return """
          {"endpoint":"responses","events":[{"type":"response.created","response":{"id":"\(id)"}},\(item)
           {"type":"response.output_text.delta","delta":"said "},
           {"type":"response.completed","response":{"id":"\(id)","usage":\(usage)}}]}
          """
      }
      try await world.sandbox.play("[\(rules.joined(separator: ","))]")
      let turn = try await caller.stream("hi")
      let answer = try await turn.end().answer
      #expect(try answer.details.value("input_tokens", as: UInt64.self) ?? .max <= 1 << 53, "\(number)")
    }
  }

  @Test(arguments: transports)
  func aReachedLimitIsReportedWithTheLimits(_ transport: VariantDictionary) async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client", transport)
    try await world.sandbox.setUsage(
      #"{"primary":{"used_percent":100,"reset_at":1893456000},"secondary":{"used_percent":40}}"#)
    let failure = try await caller.stream("hi", at: client).end().failure
    #expect(failure.name == "UsageLimitReached")
    #expect(try failure.details.value("resets_at") == Self.reset)
    #expect(try UsageLimits(failure.details).primary?.usedPercent == 100)
    #expect(try UsageLimits(failure.details).secondary?.usedPercent == 40)
    #expect(try await caller.usage().primary?.usedPercent == 100)
    #expect(caller.signals("UsageLimitsUpdated", at: client).count == 1)
  }
}

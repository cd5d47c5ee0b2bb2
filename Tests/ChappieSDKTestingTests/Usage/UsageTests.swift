// SPDX-License-Identifier: Apache-2.0

/// Sections 3.6, 5.2 and 5.3 of the protocol.
@Suite @GLibActor struct UsageTests {
  private static let path = "/backend-api/wham/usage"

  private func set(_ wire: Wire, _ usage: ChappieJSONValue) async throws {
    #expect(try await wire.send(.post, "/sandbox/usage", usage).status == 200)
  }

  @Test func aWindowCanBeMissingAndGrowsToTheLimitAlone() async throws {
    let wire = try await Wire { $0.user = StandInUser(email: "grace@example.com", plan: "team") }
    let usage = try await wire.send(.get, Self.path).json
    #expect(usage["plan_type"] == "team")
    #expect(usage["rate_limit", "primary_window", "used_percent"]?.integerValue == 12)
    try wire.backend.setUsage(#"{"secondary": null}"#)
    #expect(throws: StandInScenarioError.self) { try wire.backend.setUsage(#"{"tertiary": null}"#) }
    #expect(try await wire.send(.get, Self.path).json["rate_limit", "secondary_window"] == .null)
    let answer = try await wire.respond(Body.request([Body.user("Hello")]))
    #expect(answer.headers["x-codex-secondary-used-percent"] == nil)
    #expect(answer.headers["x-codex-primary-used-percent"] == "12.5")
    try await set(wire, ["primary": ["used_percent": .integer(98), "growth": .integer(50)]])
    for _ in 0..<3 { #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 200) }
    #expect(
      try await wire.send(.get, Self.path).json["rate_limit", "primary_window", "used_percent"]?.integerValue == 99)
    // Credits serve beyond the limit.
    try await set(wire, ["primary": ["used_percent": .integer(100)]])
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 429)
    #expect(try await wire.send(.get, Self.path).json["rate_limit", "limit_reached"] == true)
    try await set(wire, ["credits": ["has_credits": true, "balance": "1"]])
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 200)
  }

  @Test func refusesInvalidUsage() async throws {
    let wire = try await Wire()
    let bodies: [ChappieJSONValue] = [
      ["percent": .integer(3)], ["primary": ["used": .integer(3)]], ["primary": ["used_percent": .integer(101)]],
      ["plan": "pro", "secondary": "none"], ["credits": ["balance": .integer(3)]], [],
    ]
    for body in bodies { #expect(try await wire.send(.post, "/sandbox/usage", body).status == 400) }
    #expect(try await wire.send(.get, Self.path).json["plan_type"] == "plus")
  }

  // MARK: Accounts

  @Test func returnsTheWorkspaceOfTheToken() async throws {
    let wire = try await Wire { $0.user = StandInUser(email: "grace@example.com", accountID: "acc-1", plan: "pro") }
    let answer = try await wire.send(.get, "/backend-api/wham/accounts/check").json
    let accounts = try #require(answer["accounts"]?.arrayValue)
    #expect(accounts.map { $0["id"] } == ["acc-1"] && accounts.first?["plan_type"] == "pro")
    // Real clients fail without these two members, and with an origin without TLS.
    #expect(accounts.first?["workspace_backend_origin"] == "https://chatgpt.com")
    #expect(accounts.first?["account_routing_override"] == "NO_CONSTRAINT")
    #expect(answer["default_account_id"] == "acc-1")
    let alone = try await Wire { $0.user = StandInUser(email: "grace@example.com", accountID: "") }
    #expect(try await alone.send(.get, "/backend-api/wham/accounts/check").json["accounts"]?.arrayValue == [])
  }
}

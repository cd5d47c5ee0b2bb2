// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// Sections 3.6 and 5.2 of the protocol: headers, frames and the endpoint report one state.
@Suite @GLibActor struct UsageTests {
  private static let path = "/backend-api/wham/usage"

  private func set(_ wire: Wire, _ usage: ChappieJSONValue) async throws {
    #expect(try await wire.send(.post, "/sandbox/usage", usage).status == 200)
  }

  @Test func headersFramesAndEndpointReportTheSameUsage() async throws {
    let wire = try await Wire()
    try await set(
      wire,
      [
        "plan": "pro",
        "primary": [
          "used_percent": .number(41.5), "reset_at": .integer(1_893_456_000), "window_minutes": .integer(300),
          "growth": .number(1),
        ],
        "secondary": ["used_percent": .integer(7), "growth": .integer(0)],
        "credits": ["has_credits": true, "balance": "12.3"],
      ])
    let answer = try await wire.respond(Body.request([Body.user("Hello")]))
    #expect(answer.headers["x-codex-primary-used-percent"] == "42.5")
    #expect(answer.headers["x-codex-primary-reset-at"] == "1893456000")
    #expect(answer.headers["x-codex-primary-window-minutes"] == "300")
    #expect(answer.headers["x-codex-secondary-used-percent"] == "7.0")
    #expect(answer.headers["x-codex-secondary-window-minutes"] == "10080")
    #expect(answer.headers["x-codex-credits-has-credits"] == "true")
    #expect(answer.headers["x-codex-credits-unlimited"] == "false")
    #expect(answer.headers["x-codex-credits-balance"] == "12.3")

    let frames = try await wire.socket().create(Body.request([Body.user("Hello")]))
    let frame = try #require(frames.first { $0.type == "codex.rate_limits" })
    #expect(frame["plan_type"] == "pro")
    #expect(frame["rate_limits", "primary", "used_percent"]?.numberValue == 43.5)
    #expect(frame["rate_limits", "primary", "window_minutes"]?.integerValue == 300)
    #expect(frame["rate_limits", "primary", "reset_at"]?.integerValue == 1_893_456_000)
    #expect(frame["rate_limits", "secondary", "used_percent"]?.numberValue == 7)
    #expect(frame["credits"] == ["has_credits": true, "unlimited": false, "balance": "12.3"])

    let usage = try await wire.send(.get, Self.path).json
    #expect(usage["plan_type"] == "pro")
    #expect(usage["rate_limit", "allowed"] == true)
    #expect(usage["rate_limit", "primary_window", "used_percent"]?.integerValue == 44)
    #expect(usage["rate_limit", "primary_window", "limit_window_seconds"]?.integerValue == 18000)
    #expect(usage["rate_limit", "primary_window", "reset_at"]?.integerValue == 1_893_456_000)
    #expect(usage["rate_limit", "secondary_window", "used_percent"]?.integerValue == 7)
    #expect(usage["credits"] == ["has_credits": true, "unlimited": false, "balance": "12.3"])
  }

  @Test func theDefaultUsageHasThePlanOfTheUser() async throws {
    let wire = try await Wire { $0.user = StandInUser(email: "grace@example.com", plan: "team") }
    let usage = try await wire.send(.get, Self.path).json
    #expect(usage["plan_type"] == "team")
    #expect(usage["rate_limit", "primary_window", "used_percent"]?.integerValue == 12)
  }

  @Test func aWindowCanBeMissing() async throws {
    let wire = try await Wire()
    try wire.backend.setUsage(#"{"secondary": null}"#)
    #expect(throws: StandInScenarioError.self) { try wire.backend.setUsage(#"{"tertiary": null}"#) }
    #expect(try await wire.send(.get, Self.path).json["rate_limit", "secondary_window"] == .null)
    let answer = try await wire.respond(Body.request([Body.user("Hello")]))
    #expect(answer.headers["x-codex-secondary-used-percent"] == nil)
    #expect(answer.headers["x-codex-primary-used-percent"] == "12.5")
  }

  @Test func refusesRequestsAtTheUsageLimit() async throws {
    let wire = try await Wire()
    try await set(wire, ["primary": ["used_percent": .integer(100), "reset_at": .integer(1_893_456_000)]])
    let refused = try await wire.respond(Body.request([Body.user("Hello")]))
    #expect(refused.status == 429)
    #expect(refused.json["error", "type"] == "usage_limit_reached")
    #expect(refused.json["error", "plan_type"] == "plus")
    #expect(refused.json["error", "resets_at"]?.integerValue == 1_893_456_000)
    #expect(refused.headers["x-codex-primary-used-percent"] == "100.0")
    #expect(try await wire.send(.get, Self.path).json["rate_limit", "limit_reached"] == true)

    try await set(wire, ["credits": ["has_credits": true, "balance": "1"]])
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 200)
  }

  @Test func growthStopsBeforeTheLimit() async throws {
    let wire = try await Wire()
    try await set(wire, ["primary": ["used_percent": .integer(98), "growth": .integer(50)]])
    for _ in 0..<3 { #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 200) }
    #expect(
      try await wire.send(.get, Self.path).json["rate_limit", "primary_window", "used_percent"]?.integerValue == 99)
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
}

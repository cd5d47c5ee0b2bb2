// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Scenarios that are refused, and rules of the endpoints of the backend that answer with JSON.
@Suite @GLibActor struct ScenarioTests {
  @Test func theErrorDescribesAnInvalidScenario() throws {
    let backend = try StandInBackend()
    let error = #expect(throws: StandInScenarioError.self) { try backend.play("{}") }
    #expect((error as (any Error)?)?.localizedDescription == "a scenario is a JSON list of rules")
    let second = #expect(throws: StandInScenarioError.self) {
      try backend.play(#"[{"endpoint": "usage"}, {"endpoint": "usage", "status": 20}]"#)
    }
    #expect(second?.description == "rule 2: 'status' must be a whole number from 200 to 599")
  }

  @Test func refusesRulesThatMeanNothing() throws {
    let backend = try StandInBackend()
    let rules = [
      #""endpoint": "prewarm", "hang": true"#, #""endpoint": "usage", "hang": true, "delay_ms": 1"#,
      #""endpoint": "usage", "status": 200, "body": "", "raw": """#, #""endpoint": "usage", "times": 0"#,
      #""endpoint": "usage", "headers": {"a": 1}"#, #""endpoint": "usage", "unknown": 1"#,
      #""endpoint": "browser-refresh", "refusal": "policy""#, #""endpoint": "poll", "refusal": "invalid_grant""#,
      #""endpoint": "api-responses", "refusal": "invalid_grant""#, #""endpoint": "responses", "refusal": "policy""#,
      #""endpoint": "api-responses", "refusal": "policy", "in_stream": true"#,
      #""endpoint": "api-responses", "refusal": "rate_limit_exceeded", "in_stream": "event""#,
      #""endpoint": "api-models", "refusal": "rate_limit_exceeded", "in_stream": true"#,
      #""endpoint": "api-responses", "members": {"a": 1}"#, #""endpoint": "jwks", "members": []"#,
      #""endpoint": "token", "id_token": {}"#, #""endpoint": "browser-token", "id_token": {"signature": "bad"}"#,
      #""endpoint": "browser-token", "id_token": {"claim": {}}"#, #""endpoint": "usage", "tool_calls": []"#,
      #""endpoint": "responses", "tool_calls": [{"arguments": {}}]"#,
      #""endpoint": "responses", "tool_calls": [{"name": "clock", "args": {}}]"#,
      #""endpoint": "responses", "tool_calls": [{"name": "exec", "input": {}}]"#,
      #""endpoint": "responses", "tool_calls": [{"name": "exec", "input": "", "arguments": {}}]"#,
      #""endpoint": "responses", "tool_calls": [], "events": []"#,
      #""endpoint": "responses", "search": true"#, #""endpoint": "responses", "search": {"spans": "good"}"#,
      #""endpoint": "responses", "search": {"citations": -1}"#, #""endpoint": "responses", "search": {}, "text": """#,
      #""endpoint": "responses", "drop_after": 1, "end_after": 1"#,
      #""endpoint": "responses", "hold_late": true"#, #""endpoint": "usage", "delay_ms": 1, "hold": true"#,
      #""endpoint": "responses", "flood": "text""#,
      #""endpoint": "responses", "flood": {}"#, #""endpoint": "responses", "flood": {"of": "water"}"#,
      #""endpoint": "responses", "flood": {"of": "text", "size": 0}"#,
    ]
    for rule in rules {
      #expect(throws: StandInScenarioError.self, "\(rule)") { try backend.play("[{\(rule)}]") }
    }
  }

  @Test(
    arguments: [
      ("accounts", "/backend-api/wham/accounts/check"), ("usage", "/backend-api/wham/usage"),
      ("models", "/backend-api/codex/models?client_version=1.0.0"),
    ])
  func anEndpointNeedsATokenAndFollowsRules(_ endpoint: String, _ path: String) async throws {
    let wire = try await Wire()
    #expect(try await wire.send(.get, path, headers: ["authorization": "Bearer nothing"]).status == 401)
    #expect(try await wire.send(.post, path, [:]).status == 405)
    let rules = [
      #""status": 503"#, #""headers": {"etag": "mine"}"#, #""body": {"plan_type": "go"}"#, #""raw": "{nope""#,
      #""drop_after": 0"#,
    ].map { #"{"endpoint": "\#(endpoint)", \#($0)}"# }
    try wire.backend.play("[\(rules.joined(separator: ","))]")
    #expect(try await wire.send(.get, path).status == 503)
    #expect(try await wire.send(.get, path).headers["etag"] == "mine")
    #expect(try await wire.send(.get, path).json == ["plan_type": "go"])
    #expect(try await wire.send(.get, path).text == "{nope")
    await #expect(throws: GLibError.self) { try await wire.send(.get, path) }
    #expect(try await wire.send(.get, path).status == 200)
    #expect(wire.backend.state.requests[endpoint] == 8)
  }
}

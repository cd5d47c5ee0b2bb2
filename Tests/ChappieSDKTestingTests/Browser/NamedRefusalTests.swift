// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// The documented refusals, each on request.
@Suite @GLibActor struct NamedRefusalTests {
  @Test func beforeAdmission() async throws {
    let client = try await BrowserClient.signedIn()
    for (name, status) in [
      ("identity_not_accepted", 401), ("policy", 403), ("direct_routing_unavailable", 503), ("invalid_token", 401),
    ] {
      for endpoint in ["api-responses", "api-models"] {
        try client.wire.backend.play(#"[{"endpoint": "\#(endpoint)", "refusal": "\#(name)"}]"#)
        let answer =
          endpoint == "api-models" ? try await client.send(.get, "/v1/models") : try await client.respond()
        #expect(answer.status == status, "\(name)")
        #expect(answer.headers["x-request-id"]?.hasPrefix("req_") == true)
        #expect(answer.json["error"] == nil, "\(name)")
        #expect((answer.json["detail"]?["error_code"] == "invalid_token") == (name == "invalid_token"))
        #expect((answer.detail != nil) == (name != "invalid_token"))
      }
    }
  }

  @Test func ofTheResponsesLayer() async throws {
    let client = try await BrowserClient.signedIn()
    for (name, status) in [
      ("subscription_sharing_invalid_user", 401), ("subscription_sharing_user_not_eligible", 403),
      ("subscription_sharing_usage_limit_exceeded", 429), ("subscription_sharing_usage_unavailable", 503),
      ("subscription_sharing_user_unavailable", 503), ("subscription_sharing_unsupported_capability", 400),
      ("subscription_sharing_route_not_supported", 403), ("chatpass_v2_scope_not_authorized", 403),
      ("chatpass_v2_invalid_authorization_context", 403), ("rate_limit_exceeded", 429),
    ] {
      try client.wire.backend.play(
        """
        [{"endpoint": "api-responses", "refusal": "\(name)", "param": "model", "headers": {"retry-after": "7"}},
         {"endpoint": "api-responses", "refusal": "\(name)", "in_stream": true},
         {"endpoint": "api-responses", "refusal": "\(name)", "in_stream": "error"},
         {"endpoint": "api-responses", "refusal": "\(name)", "in_stream": "nested-error"}]
        """)
      let answer = try await client.respond()
      #expect(answer.refusal == "\(status) \(name)")
      #expect(answer.json["error", "param"] == "model")
      #expect(answer.headers["retry-after"] == "7")
      let stream = try await client.respond()
      #expect(stream.status == 200)
      #expect(stream.events.types == ["response.created", "response.failed"])
      #expect(stream.events.last?["response", "error", "code"]?.stringValue == name)
      let (flat, nested) = (try await client.respond().events, try await client.respond().events)
      #expect(flat.types == ["error"] && nested.types == ["error"])
      #expect(flat.first?["code"]?.stringValue == name)
      #expect(nested.first?["error", "code"]?.stringValue == name)
    }
    #expect(try await client.respond().events.last?.type == "response.completed")
  }
}

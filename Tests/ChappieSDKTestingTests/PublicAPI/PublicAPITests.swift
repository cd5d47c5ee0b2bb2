// SPDX-License-Identifier: Apache-2.0

/// The public API on a plan: `/v1/responses` and `/v1/models`.
@Suite @GLibActor struct PublicAPITests {
  private let client: BrowserClient

  init() async throws {
    client = try await BrowserClient.signedIn()
  }

  @Test func answersWithAStream() async throws {
    let answer = try await client.respond()
    #expect(answer.status == 200)
    #expect(answer.headers["x-request-id"]?.hasPrefix("req_") == true)
    #expect(!answer.headers.names.contains { $0.hasPrefix("x-codex") })
    #expect(answer.events.text.contains("You said: “Hello”"))
    // The output is in the earlier events alone.
    #expect(answer.events.last?["response", "output"]?.arrayValue?.isEmpty == true)
    let state = client.wire.backend.state
    #expect(state.requests["api-responses"] == 1)
    #expect(state.requests["responses", default: 0] == 0)
    #expect(state.lastResponsesHeaders["chatgpt-account-id"] == nil)
  }

  private nonisolated static let parameters = [
    "background", "conversation", "max_output_tokens", "max_tool_calls", "metadata", "moderation", "multi_agent",
    "previous_response_id", "prompt", "prompt_cache_breakpoint", "prompt_cache_options", "prompt_cache_retention",
    "safety_identifier", "temperature", "top_logprobs", "top_p", "truncation", "user",
  ]

  @Test func refusesWhatThePlanDoesNotServe() async throws {
    let values: [(String, ChappieJSONValue)] = [
      ("store", true), ("store", .null), ("stream", false), ("stream", .null), ("input", "Hello"),
      ("input", [["type": "message", "role": "system", "content": "Be brief."]]), ("service_tier", "flex"),
      ("model", "gpt-0"), ("model", .null), ("tools", [["type": "image_generation"]]),
      ("tools", [["type": "mcp", "server_label": "a"]]),
      ("input", [Body.message("user", ["type": "input_audio", "audio": "UklGRg=="])]),
      ("input", [Body.message("user", ["type": "input_image", "file_id": "file-1"])]),
      ("input", [Body.message("user", ["type": "input_file", "file_url": "https://example.com/a.pdf"])]),
    ]
    for (name, value) in Self.parameters.map({ ($0, 1) }) + values {
      let answer = try await client.respond([name: value])
      #expect(answer.refusal == "400 subscription_sharing_unsupported_capability")
      #expect(answer.json["error", "param"]?.stringValue == name)
    }
    #expect(try await client.respond(["input": [["type": "nonsense"]]]).refusal == "400 invalid_request_error")
    #expect(try await client.send(.post, "/v1/responses", "text").status == 400)
  }

  @Test func acceptsWhatWorks() async throws {
    for (name, value) in [
      ("prompt_cache_key", "thread"), ("service_tier", "priority"), ("reasoning", ["effort": "low"]),
      ("tools", [Body.tool("clock"), ["type": "web_search"]]), ("instructions", .null),
      (
        "input",
        [Body.message("user", ["type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,SGk="])]
      ),
    ] as [(String, ChappieJSONValue)] {
      let answer = try await client.respond([name: value])
      #expect(answer.status == 200, "\(name): \(answer.text)")
    }
  }

  // MARK: Access

  @Test func requiresATokenOfThisSignIn() async throws {
    // The token of a sign-in with a code is for another backend.
    for headers in [[:], ["authorization": "Bearer nothing"], ["authorization": "Basic nothing"]] {
      let answer = try await client.wire.send(.get, "/v1/models", headers: headers)
      #expect(answer.refusal == "401 invalid_token")
    }
    #expect(try await client.send(.get, "/backend-api/wham/usage").status == 401)
  }

  @Test func withoutPlanUseNothingIsServed() async throws {
    let client = try await BrowserClient()
    try await client.signIn(["plan_use": "false"])
    for answer in [try await client.respond(), try await client.send(.get, "/v1/models")] {
      #expect(answer.refusal == "403 chatpass_v2_scope_not_authorized")
    }
  }

  @Test func thePlanRefusesOneApplicationOrAll() async throws {
    @GLibActor func change(_ state: String, _ id: String? = nil) async throws -> Int {
      var body: [String: ChappieJSONValue] = ["state": .string(state)]
      body["client_id"] = id.map { .string($0) }
      return try await client.wire.send(.post, "/sandbox/plan-use", .object(body)).status
    }
    for (state, refusal) in [
      ("not-eligible", "403 subscription_sharing_user_not_eligible"),
      ("limit-reached", "429 subscription_sharing_usage_limit_exceeded"),
      ("unavailable", "503 subscription_sharing_usage_unavailable"),
    ] {
      #expect(try await change(state, client.clientID) == 200)
      #expect(try await client.respond().refusal == refusal)
      #expect(try await client.send(.get, "/v1/models").status == 200)
    }
    client.clientID = "dynamic_agent_client"
    try await client.signIn()
    for (state, status) in [("enabled", 200), ("unavailable", 503)] {
      #expect(try await change(state) == 200)
      #expect(try await client.respond().status == status)
    }
    #expect(try await change("maybe") == 400)
    #expect(try await change("enabled", "oaiapp_unknown") == 404)
  }

  @Test func refusesOtherRoutesAndMethods() async throws {
    let others = ["/v1/chat/completions", "/v1/responses/compact", "/v1/embeddings", "/v1/images"]
    var answers = [try await client.send(.get, "/v1/responses"), try await client.send(.post, "/v1/models", [:])]
    for path in others { answers.append(try await client.send(.post, path, [:])) }
    for answer in answers {
      #expect(answer.refusal == "403 subscription_sharing_route_not_supported")
    }
    #expect(client.wire.backend.state.requests["api-other"] == others.count)
  }

  // MARK: Models

  @Test func listsModelsInTheOrderOfTheServer() async throws {
    let models = try #require(try await client.send(.get, "/v1/models").json["models"]?.arrayValue)
    #expect(models.first?["slug"] == "gpt-6-astra")
    #expect(models.contains { $0["visibility"] == "hide" })
    #expect(models.allSatisfy { $0["priority"] == nil && $0["base_instructions"] == nil })
    // A later version sees more.
    let newer = try await client.send(.get, "/v1/models?client_version=0.164.0").json["models"]?.arrayValue
    #expect(newer?.first?["slug"] == "gpt-6.2-sol")
    #expect(try await client.send(.get, "/v1/models?client_version=soon").status == 400)
  }

  // MARK: Refusals by name

  /// The first ones come before admission, and the models refuse with them too.
  @Test func aRuleRefusesInTheFormsOfTheServer() async throws {
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
    for (name, status) in [
      ("subscription_sharing_invalid_user", 401), ("subscription_sharing_user_not_eligible", 403),
      ("subscription_sharing_usage_limit_exceeded", 429), ("subscription_sharing_usage_unavailable", 503),
      ("subscription_sharing_user_unavailable", 503), ("subscription_sharing_unsupported_capability", 400),
      ("subscription_sharing_route_not_supported", 403), ("chatpass_v2_scope_not_authorized", 403),
      ("chatpass_v2_invalid_authorization_context", 403), ("rate_limit_exceeded", 429),
    ] {
      try client.wire.backend.play(
        #"[{"endpoint": "api-responses", "refusal": "\#(name)", "param": "model", "headers": {"retry-after": "7"}}]"#)
      let answer = try await client.respond()
      #expect(answer.refusal == "\(status) \(name)")
      #expect(answer.json["error", "param"] == "model")
      #expect(answer.headers["retry-after"] == "7")
    }
    #expect(try await client.respond().events.types.last == "response.completed")
  }
}

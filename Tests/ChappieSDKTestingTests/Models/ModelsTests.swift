// SPDX-License-Identifier: Apache-2.0

/// Section 5.1 of the protocol.
@Suite @GLibActor struct ModelsTests {
  private let wire: Wire

  init() async throws {
    wire = try await Wire()
  }

  private static let path = "/backend-api/codex/models?client_version=1.0.0"

  private func models(_ path: String = Self.path) async throws -> [ChappieJSONValue] {
    try await wire.send(.get, path).json["models"]?.arrayValue ?? []
  }

  private func slugs(_ version: String) async throws -> [String] {
    try await models("/backend-api/codex/models?client_version=\(version)").compactMap { $0["slug"]?.stringValue }
  }

  @Test func eachModelHasTheRequiredMembersAndAnswers() async throws {
    let models = try await models()
    #expect(models.count == 12)
    let required = [
      "slug", "display_name", "description", "supported_reasoning_levels", "shell_type", "visibility",
      "supported_in_api", "priority", "availability_nux", "upgrade", "support_verbosity", "default_verbosity",
      "apply_patch_tool_type", "truncation_policy", "experimental_supported_tools", "base_instructions",
      "input_modalities", "context_window", "supports_search_tool", "use_responses_lite", "minimal_client_version",
    ]
    for model in models {
      let slug = try #require(model["slug"])
      for key in required { #expect(model[key] != nil, "\(key) of \(slug)") }
      #expect(try await wire.respond(Body.request([Body.user("Hello")], ["model": slug])).status == 200, "\(slug)")
    }
    #expect(Set(models.compactMap { $0["slug"]?.stringValue }).count == models.count)
    #expect(Set(models.compactMap { $0["priority"]?.integerValue }).count == models.count)
  }

  @Test func listsTheModelsThatTheClientVersionSupports() async throws {
    #expect(try await slugs("0.143.9") == ["codex-auto-review"])
    #expect(try await slugs("0.144.0").count == 6)
    let shown = try await slugs("0.163.0")
    #expect(shown.first == "gpt-6-astra")
    #expect(shown.contains("gpt-6.1-sol"))
    #expect(try await slugs("0.164.0-alpha.1") == ["gpt-6.2-sol", "gpt-6.1-terra"] + shown)
    for version in ["new", "1", "0.163", "0.163.0.1", "0..1"] {
      let answer = try await wire.send(.get, "/backend-api/codex/models?client_version=\(version)")
      #expect(answer.status == 400, "\(version)")
    }
    #expect(try await wire.send(.get, "/backend-api/codex/models").status == 400)
  }

  @Test func aModelRefusesAnOlderClientVersion() async throws {
    let request = Body.request([Body.user("Hello")], ["model": "gpt-6.2-sol"])
    let old = try await wire.respond(request, headers: ["version": "0.163.0"])
    #expect(old.status == 400)
    #expect(old.detail?.hasPrefix("The 'gpt-6.2-sol' model requires a newer version of Codex.") == true)
    #expect(try await wire.respond(request, headers: ["version": "0.164.0"]).status == 200)
    #expect(try await wire.respond(request).status == 200)
  }

  @Test func aRetiredModelIsNeitherListedNorAnswers() async throws {
    let request = Body.request([Body.user("Hello")], ["model": "gpt-6-sol"])
    let before = try await wire.respond(request)
    #expect(before.status == 200)
    let answer = try await wire.send(.post, "/sandbox/retire", ["model": "gpt-6-sol"])
    #expect(answer.status == 200)
    #expect(answer.json["etag"]?.stringValue != before.headers["x-models-etag"])
    #expect(try await !slugs("1.0.0").contains("gpt-6-sol"))
    let refused = try await wire.respond(request)
    #expect(refused.refusal == "400 The 'gpt-6-sol' model is not supported when using Codex with a ChatGPT account.")

    #expect(try await wire.send(.post, "/sandbox/restore", ["model": "gpt-6-sol"]).status == 200)
    #expect(try await wire.respond(request).headers["x-models-etag"] == before.headers["x-models-etag"])
    // The models that the live backend has retired are retired from the start.
    let earlier = Body.request([Body.user("Hello")], ["model": "gpt-5.5", "reasoning": ["effort": "xhigh"]])
    #expect(try await wire.respond(earlier).status == 400)
    #expect(wire.backend.restoreModel("gpt-5.5") && !wire.backend.retireModel("gpt-2"))
    #expect(try await wire.respond(earlier).status == 200)
    #expect(try await wire.send(.post, "/sandbox/retire", ["model": "gpt-2"]).status == 404)
  }

  @Test func aModelWithoutParallelCallsMakesOneAtATime() async throws {
    try wire.backend.replaceModels(#"[{"slug": "slow", "supports_parallel_tool_calls": false}]"#)
    let answer = try await wire.respond(
      Body.request([Body.user("use clock\nuse clock")], ["model": "slow", "tools": [Body.tool("clock")]]))
    #expect(answer.events.items.count == 1)
  }

  @Test func aNewCatalogueChangesTheETag() async throws {
    let etag = try #require(try await wire.send(.get, Self.path).headers["etag"])
    let before = try await wire.respond(Body.request([Body.user("Hello")]))
    #expect(before.headers["x-models-etag"] == etag)

    let control = try await wire.send(
      .post, "/sandbox/models", ["models": [["slug": "gpt-6", "context_window": .integer(1000)], ["slug": "gpt-7"]]])
    #expect(control.status == 200)
    let after = try await wire.respond(Body.request([Body.user("Hello")], ["model": "gpt-6"]))
    let newEtag = try #require(after.headers["x-models-etag"])
    #expect(newEtag != etag)
    #expect(try await wire.send(.get, Self.path).headers["etag"] == newEtag)
    let models = try await models()
    #expect(models.compactMap { $0["slug"]?.stringValue } == ["gpt-6", "gpt-7"])
    #expect(models.first?["context_window"]?.integerValue == 1000)
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 400)
  }

  @Test func refusesInvalidCatalogues() async throws {
    for body in [["models": [["name": "gpt-6"]]], ["gpt-6"], "gpt-6"] as [ChappieJSONValue] {
      #expect(try await wire.send(.post, "/sandbox/models", body).status == 400)
    }
    #expect(throws: StandInScenarioError.self) { try wire.backend.replaceModels("[{}]") }
    #expect(try await models().count == 12)
    try wire.backend.replaceModels(#"[{"slug": "gpt-6"}]"#)
    #expect(try await models().count == 1)
  }
}

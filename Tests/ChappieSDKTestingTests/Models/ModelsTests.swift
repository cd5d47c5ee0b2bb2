import ChappieSDKTesting
import GLibBridge
import Testing

/// Section 5.1 of the protocol.
@Suite @GLibActor struct ModelsTests {
  private static let path = "/backend-api/codex/models?client_version=1.0.0"

  private func models(_ wire: Wire) async throws -> [JSON] {
    try await wire.send(.get, Self.path).json["models"]?.elements ?? []
  }

  @Test func eachModelHasWhatTheProtocolAsksFor() async throws {
    let wire = try await Wire()
    let models = try await models(wire)
    #expect(models.count == 5)
    let required = [
      "slug", "display_name", "description", "supported_reasoning_levels", "shell_type", "visibility",
      "supported_in_api", "priority", "availability_nux", "upgrade", "support_verbosity", "default_verbosity",
      "apply_patch_tool_type", "truncation_policy", "experimental_supported_tools", "base_instructions",
      "input_modalities", "context_window", "supports_search_tool",
    ]
    for model in models {
      for key in required { #expect(model[key] != nil, "\(key) of \(model["slug"]?.string ?? "")") }
    }
    #expect(Set(models.compactMap { $0["slug"]?.string }).count == models.count)
    #expect(models.compactMap { $0["priority"]?.integer } == models.compactMap { $0["priority"]?.integer }.sorted())
    await wire.backend.stop()
  }

  @Test func theCatalogueHasModelsOfAllKinds() async throws {
    let wire = try await Wire()
    let models = try await models(wire)
    let first = try #require(models.first)
    #expect(first["slug"] == "gpt-5.5")
    #expect(first["context_window"]?.integer == 272_000)
    #expect(first["input_modalities"] == ["text", "image"])
    #expect(first["supports_search_tool"] == true)
    #expect(models.contains { $0["visibility"] == "hide" })
    let plain = try #require(models.first { $0["input_modalities"] == ["text"] })
    #expect(plain["supports_parallel_tool_calls"] == false)
    #expect(plain["supported_in_api"] == false)
    for slug in models.compactMap({ $0["slug"] }) {
      #expect(try await wire.respond(Body.request([Body.user("Hello")], ["model": slug])).status == 200)
    }
    await wire.backend.stop()
  }

  @Test func aModelWithoutParallelCallsMakesOneAtATime() async throws {
    let wire = try await Wire()
    let answer = try await wire.respond(
      Body.request(
        [Body.user("use clock\nuse clock")], ["model": "gpt-5.3-codex-spark", "tools": [Body.tool("clock")]]))
    #expect(answer.events.items.count == 1)
    await wire.backend.stop()
  }

  @Test func theEtagTellsOfANewCatalogue() async throws {
    let wire = try await Wire()
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
    let models = try await models(wire)
    #expect(models.compactMap { $0["slug"]?.string } == ["gpt-6", "gpt-7"])
    #expect(models.first?["context_window"]?.integer == 1000)
    #expect(models.first?["shell_type"] == "shell_command")
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).status == 400)
    await wire.backend.stop()
  }

  @Test func whatIsNoCatalogueIsRefused() async throws {
    let wire = try await Wire()
    for body in [["models": [["name": "gpt-6"]]], ["gpt-6"], "gpt-6"] as [JSON] {
      #expect(try await wire.send(.post, "/sandbox/models", body).status == 400)
    }
    #expect(throws: StandInScenarioError.self) { try wire.backend.replaceModels("[{}]") }
    #expect(try await models(wire).count == 5)
    try wire.backend.replaceModels(#"[{"slug": "gpt-6"}]"#)
    #expect(try await models(wire).count == 1)
    await wire.backend.stop()
  }

  @Test func aTokenAndAVersionAreAskedFor() async throws {
    let wire = try await Wire()
    #expect(try await wire.send(.get, Self.path, headers: ["authorization": "Bearer nothing"]).status == 401)
    #expect(try await wire.send(.get, "/backend-api/codex/models").status == 400)
    #expect(try await wire.send(.post, Self.path, [:]).status == 405)
    #expect(wire.backend.state.requests["models"] == 3)
    await wire.backend.stop()
  }

  @Test func rulesReachModels() async throws {
    let wire = try await Wire()
    try wire.backend.play(
      """
      [{"endpoint": "models", "status": 503}, {"endpoint": "models", "headers": {"etag": "\\"mine\\""}},
       {"endpoint": "models", "drop_after": 0}]
      """)
    #expect(try await wire.send(.get, Self.path).status == 503)
    #expect(try await wire.send(.get, Self.path).headers["etag"] == "\"mine\"")
    await #expect(throws: GLibError.self) { try await wire.send(.get, Self.path) }
    #expect(try await models(wire).count == 5)
    await wire.backend.stop()
  }
}

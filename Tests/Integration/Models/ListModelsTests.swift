// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The plan's models, from the backend to the bus.
@Suite(.worlds) @GLibActor
struct ListModelsTests {
  /// The models that the backend lists today to a client of this protocol, best first.
  private static let listed = [
    "gpt-6.1-sol", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna",
  ]

  @Test func modelsAreListedBestFirst() async throws {
    try await World.signedIn { world, caller in
      let models = try await caller.models()
      #expect(models.map { $0.text("slug") } == Self.listed)
      #expect(
        models[3] == [
          "slug": "gpt-6-luna", "display_name": "GPT-6-Luna", "description": "A model that repeats what it is told.",
          "supported_in_api": true, "priority": Int32(4), "input_modalities": ["text", "image"],
          "supported_reasoning_levels": ["low", "medium", "high", "xhigh", "max"], "supports_search_tool": true,
          "supports_parallel_tool_calls": true, "context_window": UInt32(272_000), "web_search": true,
        ])
      // All clients of a sign-in share one read; another sign-in reads its own list.
      _ = try await caller.slugs(at: try await caller.open("Client"))
      _ = try await world.caller().slugs()
      #expect(try await world.sandbox.state().requests["models"] == 1)
      try await caller.signIn(account: "work")
      _ = try await caller.slugs(at: try await caller.open("Client", ["keychain_account": "work"]))
      #expect(try await world.sandbox.state().requests["models"] == 2)
    }
  }

  @Test func aFilterSelectsModels() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.offer(
        #"""
        [{"slug":"best","priority":0},{"slug":"good","priority":1,"supported_in_api":false},
        {"slug":"reader","priority":2,"supported_in_api":false,"supports_parallel_tool_calls":false,
        "supports_search_tool":false,"supported_reasoning_levels":[{"effort":"low","description":""}]}]
        """#)
      #expect(try await caller.slugs(["reasoning_level": "xhigh", "supported_in_api": true]) == ["best"])
      #expect(try await caller.slugs(["supports_parallel_tool_calls": false]) == ["reader"])
      #expect(try await caller.slugs(["input_modality": "smell"]) == [])
      #expect(try await caller.slugs(["unknown": "key", "supports_search_tool": false]) == ["reader"])
      let refused = try await refusal { try await caller.slugs(["supported_in_api": "yes"]) }
      #expect(refused.name == "InvalidArgument")
      #expect(refused.message.contains("supported_in_api"))
      #expect(try await world.sandbox.state().requests["models"] == 1)
    }
  }

  @Test func theBackendsEntriesAreListedUnchanged() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(
        #"""
        [{"endpoint":"models","raw":"{\"models\":[7,{},{\"slug\":\"\\u001b[2J\"},{\"slug\":\"bare\"},{\"slug\":\"big\",\"priority\":-1e300,\"context_window\":9e18,\"display_name\":\"a\\u0000b\\nc\"},{\"slug\":\"first\",\"priority\":-9000000000,\"context_window\":5000000000}]}"}]
        """#)
      let models = try await caller.models()
      // A number out of range counts as missing: such a model is listed last.
      #expect(models.map { $0.text("slug") } == ["bare", "big", "first"])
      #expect(models[0]["context_window"] == nil)
      #expect(models[0]["description"] == nil)
      #expect(try models.allSatisfy { try $0.value("priority") == Int32.max })
      #expect(models[1].text("display_name") == "a\u{FFFD}b c")
      #expect(models[2]["context_window"] == nil)
    }
  }

  /// An HTTP answer names the version of the newest list.
  @Test func aNewListVersionInAnAnswerIsFetched() async throws {
    try await World.signedIn { world, caller in
      let client = try await caller.open("Client", transports[1])
      #expect(try await caller.slugs() == Self.listed)
      _ = try await caller.send("the same list", at: client)
      _ = try await caller.slugs()
      #expect(try await world.sandbox.state().requests["models"] == 1)

      try await world.sandbox.offer(#"[{"slug":"gpt-6","visibility":"list"},{"slug":"gpt-5.5"}]"#)
      #expect(try await caller.slugs() == Self.listed)
      _ = try await caller.send("another list", at: client)
      #expect(try await caller.slugs() == ["gpt-6", "gpt-5.5"])
      #expect(try await world.sandbox.state().requests["models"] == 2)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// Reading the models and the usage of the plan.
@Suite(.worlds) @GLibActor
struct PlanTests {
  /// An endpoint, with the method that reads it.
  nonisolated static let questions = [("models", "ListModels"), ("usage", "GetUsageLimits")]

  @discardableResult
  private func ask(_ method: String, _ caller: Caller, at path: ObjectPath = .chappie, interactive: Bool = false)
    async throws -> Variant
  {
    method == "ListModels"
      ? try await caller.call("Client.\(method)", VariantDictionary(), at: path, interactive: interactive)
      : try await caller.call("Client.\(method)", at: path, interactive: interactive)
  }

  @Test func aLockIsReported() async throws {
    let (world, caller, saver) = try await World.withScreen()
    try await world.keyring.lock()
    for (endpoint, method) in Self.questions {
      try await expectRefusal("Locked") { try await ask(method, caller) }
      #expect(try await world.sandbox.state().requests[endpoint] == 0)
    }
    try await world.keyring.unlock()
    try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
    for (_, method) in Self.questions { try await ask(method, caller) }
    try await saver.lock(caller)
    for (endpoint, method) in Self.questions {
      // Cached values are not shown either.
      try await expectRefusal("Locked") { try await ask(method, caller) }
      try await expectRefusal("Locked") { try await ask(method, caller, interactive: true) }
      #expect(try await world.sandbox.state().requests[endpoint] == 1)
    }
    try await saver.unlock(caller)
    for (_, method) in Self.questions { try await ask(method, caller) }
  }

  // MARK: The backend

  @Test func aRefusedTokenIsRefreshedOnce() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.sandbox.play(
        "[{\"endpoint\":\"\(endpoint)\",\"status\":401,\"body\":{\"detail\":\"Go away.\"},\"times\":\"always\"}]")
      try await expectRefusal("HTTPError", saying: "Go away.") { try await ask(method, caller) }
      var requests = try await world.sandbox.state().requests
      #expect(requests[endpoint] == 2)
      #expect(requests["refresh"] == 1)
      #expect(try await caller.state() == "signed-in")

      try await world.sandbox.forget()
      try await world.sandbox.expireAccessTokens()
      try await ask(method, caller)
      requests = try await world.sandbox.state().requests
      #expect(requests[endpoint] == 2)
      #expect(requests["refresh"] == 1)
    }
  }

  @Test func aServerErrorIsRetried() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"status\":503,\"times\":\"always\"}]")
      try await expectRefusal("HTTPError") { try await ask(method, caller) }
      #expect(try await world.sandbox.state().requests[endpoint] == 5)

      // An answer that is none is neither asked for again nor kept.
      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"raw\":\"<html>\"}]")
      try await expectRefusal("HTTPError") { try await ask(method, caller) }
      #expect(try await world.sandbox.state().requests[endpoint] == 6)

      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"status\":500,\"times\":2}]")
      try await ask(method, caller)
      #expect(try await world.sandbox.state().requests[endpoint] == 9)
    }
  }

  @Test func aSilentBackendTimesOut() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.play(
      #"[{"endpoint":"models","hang":true,"times":"always"},{"endpoint":"usage","hang":true,"times":"always"}]"#)
    let calls = Self.questions.map { _, method in
      Task.onGLib { try await refusal { try await ask(method, caller) } }
    }
    for call in calls {
      let refused = try await call.value
      #expect(refused.name == "Network")
      #expect(refused.message.contains("does not answer"))
    }
    let requests = try await world.sandbox.state().requests
    for (endpoint, _) in Self.questions { #expect(requests[endpoint] == 1) }
  }

  // MARK: The list of models

  /// The models that the backend lists today to a client of this protocol, best first.
  private static let listed = [
    "gpt-6.1-sol", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna",
  ]

  @Test func modelsAreListedBestFirst() async throws {
    let (world, caller) = try await World.signedIn()
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

  @Test func aFilterSelectsModels() async throws {
    let (world, caller) = try await World.signedIn()
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
    try await expectRefusal("InvalidArgument", saying: "supported_in_api") {
      try await caller.slugs(["supported_in_api": "yes"])
    }
    #expect(try await world.sandbox.state().requests["models"] == 1)
  }

  /// An HTTP answer names the version of the newest list.
  @Test func aNewListVersionInAnAnswerIsFetched() async throws {
    let (world, caller) = try await World.signedIn()
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

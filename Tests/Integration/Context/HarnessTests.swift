// SPDX-License-Identifier: Apache-2.0

/// The instructions that begin the model's input.
@Suite(.worlds) @GLibActor
struct HarnessTests {
  private func instructions(_ world: World) async throws -> String {
    try await world.sandbox.state().lastResponsesRequest.body?.instructions ?? ""
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aNewHarnessAppliesFromTheNextTurn(_ transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(World.Plan(transport: transport))
    let client = try await caller.open("Client")
    _ = try await caller.send("one", at: client)
    #expect(try await instructions(world).contains(/App: Chappie$/.anchorsMatchLineEndings()))
    let harness: VariantDictionary = [
      "name": "Tea Clock", "summary": "Times tea.", "capabilities": ["Timing tea."], "tools": [Tools.weather],
      "plugins": [["name": "Recipes", "description": "Knows recipes.", "version": "1.2"] as VariantDictionary],
    ]
    try await caller.call("Client.SetHarness", harness, at: client)
    _ = try await caller.send("two", at: client)
    let sent = try await instructions(world)
    for part in ["App: Tea Clock\nTimes tea.", "- Timing tea.", "- weather: Tells the weather.", "- Recipes"] {
      #expect(sent.contains(part), "\(part)")
    }
    // The harness keeps the instruction that the model must not present itself as Codex.
    #expect(sent.contains("never present yourself as one"))
    #expect(try await world.sandbox.state().lastTools == ["weather"])
    #expect(try await world.sandbox.state().lastInput.count == 3)
    _ = try await caller.send("three", ["instructions": "Rhyme."], at: client)
    #expect(try await instructions(world).hasSuffix("\n\nRhyme."))
  }

  @Test func theHarnessIsCheckedAndShown() async throws {
    let (world, caller) = try await World.signedIn()
    let before: VariantDictionary = try await caller.property("Client.Harness")
    let wrong: VariantDictionary = ["tools": [Tools.weather, Tools.weather]]
    try await expectRefusal("InvalidArgument") { try await caller.call("Client.SetHarness", wrong) }
    #expect(try await caller.property("Client.Harness") == before)
    #expect(try !caller.wasInvalidated("Harness", of: "Client"))
    // Without a harness only the default instruction is sent.
    try await caller.call("Client.SetHarness", ["preset": "none"] as VariantDictionary)
    _ = try await caller.send("hi")
    #expect(try await instructions(world) == "Answer the user.")

    let watcher = try await world.caller()
    try await caller.call("Client.SetHarness", ["name": "Tea Clock", "tools": [Tools.weather]] as VariantDictionary)
    let harness: VariantDictionary = try await watcher.property("Client.Harness")
    #expect(harness.text("name") == "Tea Clock")
    let tool = try #require(try harness.value("tools", as: [VariantDictionary].self)?.first)
    #expect(tool.text("name") == "weather")
    #expect(tool.text("policy") == "automatic")
    #expect(tool.text("input_schema")?.contains("city") == true)
    try await watcher.catchUp()
    // The signal says that the property changed, without its value.
    #expect(try watcher.changedValues("Harness", of: "Client", as: VariantDictionary.self).isEmpty)
    #expect(try watcher.wasInvalidated("Harness", of: "Client"))
    // The harness of a shared object applies to every caller of that object, and to no other object.
    _ = try await watcher.send("hi")
    #expect(try await instructions(world).contains("App: Tea Clock"))
    _ = try await caller.send("hi", at: caller.open("Client"))
    #expect(try await instructions(world).contains(/App: Chappie$/.anchorsMatchLineEndings()))
  }
}

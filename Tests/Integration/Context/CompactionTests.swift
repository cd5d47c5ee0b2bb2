// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Compacting a conversation.
@Suite(.worlds) @GLibActor
struct CompactionTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func theModelOrTheCallerWritesTheSummary(_ transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport)) { world, caller in
      try await expectRefusal("InvalidArgument") { try await caller.compact() }
      #expect(try await world.sandbox.state().requests["responses"] == 0)
      let client = try await caller.open("Client", ["harness": ["tools": [Tools.weather]] as VariantDictionary])
      let answer = try await caller.send("My name is Ada.", at: client)
      try await world.sandbox.play(#"[{"endpoint":"responses","text":"The user is Ada."}]"#)
      try await caller.compact(at: client)
      let asked = try await world.sandbox.state()
      #expect(asked.lastInput.prefix(2) == ["user: My name is Ada.", "assistant: \(answer)"])
      #expect(asked.lastInput.count == 3)
      // The summary's request has neither the app's instructions nor its tools.
      #expect(asked.lastTools.isEmpty)
      #expect(asked.lastResponsesRequest.body?.instructions.contains("Codex") == false)
      let context = try await caller.context(at: client)
      #expect(context.text("compacted_summary") == "The user is Ada.")
      #expect(try context.messages.isEmpty)
      _ = try await caller.send("Who am I?", at: client)
      let beginning = "developer: A summary of the conversation so far:\n"
      #expect(try await world.sandbox.state().lastInput == [beginning + "The user is Ada.", "user: Who am I?"])

      try await caller.compact("They met.", at: client)
      #expect(try await world.sandbox.state().requests["responses"] == 3)
      let short = try await caller.context(at: client)
      #expect(try short.messages.isEmpty)
      #expect(short.text("compacted_summary") == "They met.")
      #expect(try short.number("estimated_tokens") == 3)
      _ = try await caller.send("two", at: client)
      #expect(try await world.sandbox.state().lastInput == [beginning + "They met.", "user: two"])
      // The next summary includes this one.
      try await caller.compact(at: client)
      #expect(try await world.sandbox.state().lastInput.prefix(2) == [beginning + "They met.", "user: two"])
      try await caller.call("Client.ClearContext", at: client)
      #expect(try await caller.context(at: client)["compacted_summary"] == nil)
    }
  }

  @Test func aFailedSummaryLeavesTheConversation() async throws {
    let failures = [
      (#""status":400,"body":{"detail":"No."}"#, "HTTPError"),
      (
        #""status":429,"body":{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_at":1893456000}}"#,
        "UsageLimitReached"
      ),
      (#""text":"""#, "Network"),
    ]
    try await World.signedIn(each: failures) { world, caller, failure in
      let (rule, error) = failure
      let client = try await caller.open("Client")
      _ = try await caller.send("one", at: client)
      let before = try await caller.context(at: client)
      try await world.sandbox.play(#"[{"endpoint":"responses",\#(rule)}]"#)
      try await expectRefusal(error) { try await caller.compact(at: client) }
      #expect(try await caller.context(at: client) == before)
      #expect(try await caller.send("two", at: client).contains("3 messages"))
    }
  }
}

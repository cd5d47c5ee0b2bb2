// SPDX-License-Identifier: Apache-2.0

/// The conversation of a client as a value: read, cleared, resumed, compacted.
@Suite(.worlds) @GLibActor
struct ContextTests {
  @Test func theContextHoldsTheMessages() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    let empty = try await caller.context(at: client)
    #expect(try empty.messages.isEmpty)
    #expect(try empty.number("message_count") == 0)
    #expect(try empty.number("estimated_tokens") == 0)
    #expect(empty["compacted_summary"] == nil)
    #expect(empty.text("model") == "gpt-5.5")

    let answer = try await caller.send("one", at: client)
    let context = try await caller.context(at: client)
    #expect(try context.messages == ["user: one", "assistant: \(answer)"])
    #expect(try context.number("message_count") == 2)
    let bytes = "one\(answer)".utf8.count
    #expect(try context.number("estimated_tokens") == UInt32((bytes + 3) / 4))
    #expect(context.text("session_id") == empty.text("session_id"))
    #expect(context.text("thread_id") == empty.text("thread_id"))
    let created = try #require(try context.value("created_at", as: Int64.self))
    #expect(try #require(try context.value("updated_at", as: Int64.self)) >= created)

    let size: VariantDictionary = try await caller.call("Client.GetContextSize", UInt32(1000), at: client)
      .member(0, "size")
    let tokens = try context.number("estimated_tokens")
    #expect(try size.number("estimated_tokens") == tokens)
    #expect(try size.number("context_window") == 1000)
    #expect(try size.number("remaining_tokens") == 1000 - tokens)
    #expect(try size.value("used_percent") == Double(tokens) * 100 / 1000)
    let full: VariantDictionary = try await caller.call("Client.GetContextSize", UInt32(1), at: client)
      .member(0, "size")
    #expect(try full.number("remaining_tokens") == 0)
    #expect(try #require(try full.value("used_percent", as: Double.self)) > 100)
    try await expectRefusal("InvalidArgument") {
      try await caller.call("Client.GetContextSize", UInt32(0), at: client)
    }

    // A shared object's context is the continued conversation.
    _ = try await caller.send("alone")
    #expect(try await caller.context().messages.isEmpty)
    _ = try await caller.send("kept", ["continue": true])
    #expect(try await world.caller().context().messages.first == "user: kept")
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func clearedAndUndoneTurnsAreNotSentAgain(_ transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(World.Plan(transport: transport))
    let client = try await caller.open("Client")
    _ = try await caller.send("one", at: client)
    let before = try await caller.context(at: client)
    try await caller.call("Client.ClearContext", at: client)
    let after = try await caller.context(at: client)
    #expect(try after.messages.isEmpty)
    #expect(after.text("thread_id") != before.text("thread_id"))
    #expect(after.text("session_id") == before.text("session_id"))
    #expect(try await caller.send("two", at: client).contains("1 message."))
    #expect(try await world.sandbox.state().lastInput == ["user: two"])

    let other = try await caller.open("Client")
    let answer = try await caller.send("one", at: other)
    _ = try await caller.send("two", at: other)
    try await caller.call("Client.UndoTurn", at: other)
    _ = try await caller.send("three", at: other)
    #expect(try await world.sandbox.state().lastInput == ["user: one", "assistant: \(answer)", "user: three"])
    for _ in 0..<2 { try await caller.call("Client.UndoTurn", at: other) }
    try await expectRefusal("InvalidArgument") { try await caller.call("Client.UndoTurn", at: other) }
  }

  /// A saved context resumes in another client, even of another service.
  @Test func theModelReadsTheResumedConversation() async throws {
    let (world, caller) = try await World.signedIn()
    let first = try await caller.open("Client", ["model": "gpt-6-sol"])
    let answer = try await caller.send("My name is Ada.", at: first)
    let kept = try await caller.context(at: first)
    try await world.service.restart()

    let again = try await world.caller()
    let second = try await again.open("Client")
    _ = try await again.send("something else", at: second)
    // A context whose model is the default chooses none.
    let ofDefault = try await again.context(at: second)
    #expect(try ofDefault.value("default_model") == true)
    try await again.resume(ofDefault, at: second)
    #expect(try await again.property("Client.ModelSource", at: second, as: String.self) != "chosen")
    try await again.resume(kept, at: second)
    #expect(try await again.property("Client.ModelSource", at: second) == "chosen")
    let resumed = try await again.context(at: second)
    for key in ["session_id", "thread_id", "model"] { #expect(resumed.text(key) == kept.text(key)) }
    #expect(try resumed.messages == kept.messages)
    #expect(try await again.property("Client.Model", at: second) == "gpt-6-sol")
    _ = try await again.send("Who am I?", at: second)
    let state = try await world.sandbox.state()
    #expect(state.lastInput == ["user: My name is Ada.", "assistant: \(answer)", "user: Who am I?"])
    #expect(state.lastResponsesRequest.body?.model == "gpt-6-sol")
  }

  @Test func aChangeWaitsForTheRunningTurn() async throws {
    try await World.signedIn(each: ["ClearContext", "ResumeContext", "CompactContext"]) { world, caller, member in
      let client = try await caller.open("Client")
      try await world.sandbox.stall(times: "1")
      let turn = try await caller.stalledTurn(at: client)
      let change = Task.onGLib {
        switch member {
        case "ClearContext": try await caller.call("Client.ClearContext", at: client)
        case "ResumeContext": try await caller.resume(["messages": [Message("user", "new")]], at: client)
        default: try await caller.compact("in short", at: client)
        }
      }
      try await caller.catchUp()
      #expect(try await caller.context(at: client).messages.isEmpty)
      #expect(try await turn.snapshot().status == "running")
      try await turn.cancel()
      #expect(try await turn.end().failure.name == "Cancelled")
      _ = try await change.value
      let context = try await caller.context(at: client)
      #expect(try context.messages == (member == "ResumeContext" ? ["user: new"] : []))
      #expect(context.text("compacted_summary") == (member == "CompactContext" ? "in short" : nil))
    }
  }

  @Test func anImpossibleContextIsRefused() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    _ = try await caller.send("one", at: client)
    let before = try await caller.context(at: client)
    for key in ["session_id", "thread_id", "model", "messages", "compacted_summary", "created_at", "updated_at"] {
      try await expectRefusal("InvalidArgument", saying: "'\(key)'") {
        try await caller.resume(before.with(key, [true]), at: client)
      }
      #expect(try await caller.context(at: client) == before)
    }
    // Omitted keys keep their values.
    try await caller.resume(["messages": [Message("system", "Be brief."), Message("user", "two")]], at: client)
    let after = try await caller.context(at: client)
    #expect(try after.messages == ["system: Be brief.", "user: two"])
    for key in ["session_id", "thread_id", "model"] { #expect(after.text(key) == before.text(key)) }
    #expect(after["compacted_summary"] == nil)
    try await caller.resume(["compacted_summary": "They greeted."], at: client)
    #expect(try await caller.context(at: client).messages.isEmpty)
    _ = try await caller.send("three", at: client)
    #expect(
      try await world.sandbox.state().lastInput == [
        "developer: A summary of the conversation so far:\nThey greeted.", "user: three",
      ])

    let role: VariantDictionary = ["messages": [Message("tool", "x")]]
    #expect(try await refusal { try await caller.resume(role) }.message.contains("'tool'"))
    for key in ["session_id", "thread_id", "model"] {
      try await expectRefusal("InvalidArgument") { try await caller.resume(VariantDictionary().with(key, "")) }
    }
    let huge = String(repeating: "x", count: 4 << 20 + 1)
    let messages: VariantDictionary = ["messages": [Message("user", huge)]]
    try await expectRefusal("LimitExceeded") { try await caller.resume(messages) }
    try await expectRefusal("LimitExceeded") { try await caller.resume(["compacted_summary": huge]) }
    try await expectRefusal("LimitExceeded") { try await caller.compact(huge) }
    #expect(try await caller.context().messages.isEmpty)
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func theModelWritesTheSummary(_ transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(World.Plan(transport: transport))
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
    // The next summary includes this one.
    try await caller.compact(at: client)
    #expect(
      try await world.sandbox.state().lastInput.prefix(2) == [beginning + "The user is Ada.", "user: Who am I?"])
    try await caller.call("Client.ClearContext", at: client)
    #expect(try await caller.context(at: client)["compacted_summary"] == nil)
  }

  @Test func aFailedSummaryLeavesTheConversation() async throws {
    let failures = [
      (#""status":400,"body":{"detail":"No."}"#, "HTTPError"),
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

extension Caller {
  /// The answer of `GetContext`.
  func context(at path: ObjectPath = .chappie) async throws -> VariantDictionary {
    try await call("Client.GetContext", at: path).member(0, "context")
  }

  func resume(_ context: VariantDictionary, at path: ObjectPath = .chappie) async throws {
    try await call("Client.ResumeContext", context, at: path)
  }

  func compact(_ summary: String = "", at path: ObjectPath = .chappie) async throws {
    try await call("Client.CompactContext", summary, at: path)
  }
}

extension VariantDictionary {
  /// The `messages` of a context, as `role: text`.
  var messages: [String] {
    get throws { try (value("messages", as: [Message].self) ?? []).map { "\($0.role): \($0.text)" } }
  }

  func number(_ key: String) throws -> UInt32 { try value(key) ?? .max }

  func with(_ key: String, _ value: any VariantConvertible) -> VariantDictionary {
    var other = self
    other.set(key, value)
    return other
  }
}

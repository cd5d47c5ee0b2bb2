// SPDX-License-Identifier: Apache-2.0

/// Questions to the model: whole answers, streams, callers' own transcripts, options.
@Suite(.worlds) @GLibActor
struct AnswerTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func sendRepliesWithTheWholeAnswer(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    #expect(try await caller.send("hi") == "You said: “hi” This conversation has 1 message.")
    try await caller.catchUp()
    // The reply is the answer, and no signal comes.
    for signal in ["TextDelta", "Completed", "Failed"] { #expect(caller.signals(signal).isEmpty) }

    try await world.sandbox.play(
      #"[{"endpoint":"responses","text":"one two three four five","delta_delay_ms":30}]"#)
    let turn = try await caller.stream("count")
    #expect(try await turn.end().answer.text == "one two three four five")
    #expect(try turn.deltas.count > 1)
  }

  /// Offsets count bytes of UTF-8, so the text has characters of one to four bytes. The last one comes as fast as
  /// possible, and is far longer than a socket buffers.
  @Test(arguments: World.Plan.Transport.allCases)
  func deltasAddUpToTheAnswer(over transport: World.Plan.Transport) async throws {
    let texts = [
      "One word", "Zwölf Boxkämpfer jagen Viktor", "日本語の テキスト です", "👩‍👩‍👧‍👦 and 🇦🇶 e\u{301}",
      "tab\tquote\"back\\slash\nline", (0..<40_000).map { "word\($0)" }.joined(separator: " "),
    ]
    try await World.signedIn(World.Plan(transport: transport), each: texts) { world, caller, text in
      try await world.sandbox.play("[\(json(["endpoint": "responses", "text": text]))]")
      let turn = try await caller.stream("hi")
      let (answer, details) = try await turn.end().answer
      #expect(answer == text)
      try turn.expectDeltas(of: text)
      #expect(details.text("model") == "gpt-6.1-sol")
      #expect(details.text("response_id")?.hasPrefix("resp_") == true)
      #expect(try details.value("input_tokens", as: UInt64.self) ?? 0 > 0)
      let words = text.split(whereSeparator: \.isWhitespace)
      #expect(try details.value("output_tokens", as: UInt64.self) == UInt64(words.count))
      #expect(try details.value("cached_input_tokens", as: UInt64.self) == 0)
      #expect(try details.value("reasoning_tokens", as: UInt64.self) == 0)
    }
  }

  @Test func aTranscriptIsAnswered() async throws {
    let (world, caller) = try await World.signedIn()
    let messages = [
      Message("system", "Be brief."), Message("developer", "Be kind."), Message("user", "2+2?"),
      Message("assistant", "4"), Message("user", "And 3+3?"),
    ]
    // The backend has no system messages.
    let sent = [
      "developer: Be brief.", "developer: Be kind.", "user: 2+2?", "assistant: 4", "user: And 3+3?",
    ]
    let answer: String = try await caller.call("Client.Respond", messages, VariantDictionary()).member(0, "answer")
    #expect(answer.contains("And 3+3?") && answer.contains("3 messages"))
    #expect(try await world.sandbox.state().lastInput == sent)

    let turn = try await caller.streamResponse(messages)
    #expect(try await turn.end().answer.text == answer)
    #expect(try turn.deltas.map(\.text).joined() == answer)
    #expect(try await world.sandbox.state().lastInput == sent)
  }

  @Test func optionsAndConfigurationsReachTheModel() async throws {
    let (world, caller) = try await World.signedIn()
    _ = try await caller.send("plain")
    let plain = try #require(try await world.sandbox.state().lastResponsesRequest.body)
    #expect(plain.model == "gpt-6.1-sol")
    #expect(plain.reasoning?.effort == nil)

    _ = try await caller.send(
      "with options", ["model": "gpt-6-sol", "reasoning_effort": "high", "instructions": "Rhyme."])
    let full = try #require(try await world.sandbox.state().lastResponsesRequest.body)
    #expect(full.model == "gpt-6-sol")
    #expect(full.reasoning?.effort == "high")
    #expect(full.instructions == plain.instructions + "\n\nRhyme.")

    _ = try await caller.send("fast", ["fast_mode": true])
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.reasoning?.effort == "low")

    let harness: VariantDictionary = ["name": "Tea Clock", "instructions": "Only tea.", "capabilities": ["Timers."]]
    let client = try await caller.open("Client", ["model": "gpt-6-luna", "harness": harness])
    #expect(try await caller.property("Client.Model", at: client) == "gpt-6-luna")
    _ = try await caller.send("hi", at: client)
    let body = try #require(try await world.sandbox.state().lastResponsesRequest.body)
    #expect(body.model == "gpt-6-luna")
    #expect(body.instructions == "Only tea.\n\nApp: Tea Clock\n\nCapabilities:\n- Timers.")
  }

  // MARK: Answers that are more than one message

  private static let end = #"{"type":"response.completed","response":{"id":"resp_1"}}"#

  private func answer(_ world: World, with events: [String], times: String = "1") async throws {
    let all = [#"{"type":"response.created","response":{"id":"resp_1"}}"#] + events + [Self.end]
    try await world.sandbox.play(
      "[{\"endpoint\":\"responses\",\"events\":[\(all.joined(separator: ","))],\"times\":\(times)}]")
  }

  private static func message(_ text: String, phase: String) -> String {
    item(
      """
      {"type":"message","role":"assistant","phase":"\(phase)","content":[{"type":"output_text","text":"\(text)"}]}
      """)
  }

  private static func item(_ json: String) -> String {
    "{\"type\":\"response.output_item.done\",\"item\":\(json)}"
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aRefusalIsTheAnswersText(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let client = try await caller.open("Client")
    let text = "I cannot help with that."
    let whole = Self.item(
      #"{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"\#(text)"}]}"#)
    try await answer(world, with: [#"{"type":"response.refusal.delta","delta":"I cannot "}"#, whole], times: "2")
    let turn = try await caller.stream("Do harm", at: client)
    let (answer, details) = try await turn.end().answer
    #expect(answer == text)
    #expect(try details.value("refusal") == true)
    #expect(try turn.deltas.map(\.text).joined() == text)
    let seen = try await turn.snapshot()
    #expect(try seen.details.value("refusal") == true)
    // The exit status reports it to a script.
    let asked = try await world.chappie("ask", "Do harm")
    #expect(asked.text == "\(text)\n" && asked.status == 11)
    // It does not affect the next turn, and an answer is no refusal.
    let next = try await caller.stream("Do good", at: client).end().answer
    #expect(next.text.contains("3 messages"))
    #expect(next.details["refusal"] == nil)
  }

  private static let customCall = item(
    #"{"type":"custom_tool_call","call_id":"call_7","name":"apply_patch","input":"*** Begin"}"#)

  private static let shellCall = item(
    #"{"type":"local_shell_call","call_id":"call_8","status":"completed","action":{"type":"exec","command":["ls"]}}"#)

  @Test func callsWithoutAHandler() async throws {
    try await World.signedIn(each: transports) { world, caller, transport in
      let client = try await caller.open("Client", transport)
      // A turn has at most sixteen rounds.
      try await answer(world, with: [Self.customCall], times: "16")
      let text = try await caller.send("Patch it", at: client)
      #expect(text.hasPrefix("The tool apply_patch said: There is no such tool here"))
      #expect(try await world.sandbox.state().requests["responses"] == 17)
      #expect(try await caller.send("and now", at: client).contains("and now"))
      try await answer(world, with: [Self.customCall], times: "\"always\"")
      let endless = try await caller.stream("Patch it", at: client)
      let loop = try await endless.end().failure
      #expect(loop.name == "ToolLoopLimitExceeded")
      #expect(try loop.details.value("limit", as: UInt32.self) == 16)

      // A call of an unknown kind is ignored.
      let other = try await caller.open("Client", transport)
      try await answer(world, with: [Self.message("Let me see.", phase: "commentary"), Self.shellCall])
      #expect(try await caller.send("List it", at: other) == "Let me see.")
      #expect(try await caller.send("and now", at: other).contains("3 messages"))
      #expect(
        try await world.sandbox.state().lastResponsesRequest.body?.input.contains { $0.callId == "call_8" } == false)

      // Without any text, it is no answer.
      let third = try await caller.open("Client", transport)
      try await answer(world, with: [Self.shellCall])
      let failure = try await caller.stream("List it", at: third).end().failure
      #expect(failure.name == "MissingToolHandler")
      #expect(failure.details.text("tool") == "local_shell_call")
      #expect(try await caller.send("and now", at: third).contains("1 message."))
    }
  }

  // MARK: Bad input

  @Test func invalidInputIsRefused() async throws {
    let (world, caller) = try await World.signedIn()
    try await expectRefusal("InvalidArgument") { try await caller.send("") }
    try await expectRefusal("InvalidArgument") { try await caller.stream("") }
    for messages in [[Message](), [Message("user", "")], [Message("system", "x"), Message("user", "")]] {
      try await expectRefusal("InvalidArgument", saying: "text") {
        try await caller.call("Client.Respond", messages, VariantDictionary())
      }
    }
    let options: VariantDictionary = ["model": ["neither", "nor"]]
    let wrongRole = [Message("user", "hi"), Message("usér", "hello")]
    let calls: [(message: String, () async throws -> Void)] = [
      ("'model'", { _ = try await caller.send("hi", options) }),
      ("'model'", { _ = try await caller.stream("hi", options) }),
      ("'model'", { _ = try await caller.call("Client.Respond", [Message("user", "hi")], options) }),
      ("'model'", { _ = try await caller.streamResponse([Message("user", "hi")], options) }),
      ("'usér'", { _ = try await caller.call("Client.Respond", wrongRole, VariantDictionary()) }),
      ("'usér'", { _ = try await caller.streamResponse(wrongRole) }),
    ]
    for (message, call) in calls { try await expectRefusal("InvalidArgument", saying: message, of: call) }
    #expect(try await world.sandbox.state().requests["responses"] == 0)
  }

  @Test func anInvalidConfigurationIsRefused() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let wrong: [(VariantDictionary, String)] = [
      (["keychain_account": ""], "'keychain_account'"),
      (["harness": ["preset": "pirate"] as VariantDictionary], "pirate"),
    ]
    for kind in ["Session", "Client"] {
      for (configuration, message) in wrong {
        try await expectRefusal("InvalidArgument", saying: message) { try await caller.open(kind, configuration) }
      }
    }
    // D-Bus refuses calls of missing objects and members.
    let nowhere = ObjectPath.chappie.appending("nowhere")
    let calls: [() async throws -> Void] = [
      { try await caller.call("Client.Shout", "hi") }, { try await caller.call("Nothing.Send", "hi") },
      { _ = try await caller.state(at: nowhere) }, { try await caller.call("Client.Send", "hi") },
      { try await caller.call("Client.Send", UInt32(1), VariantDictionary()) },
      { _ = try await caller.property("Session.Token", as: String.self) },
      {
        try await caller.connection.call(
          "org.chappie", .chappie, "org.freedesktop.DBus.Properties", "Set",
          .tuple(["org.chappie.Client".variant, "Model".variant, "x".variant.boxed]))
      },
    ]
    for call in calls { #expect(try await refusal(of: call).name.hasPrefix("org.freedesktop.DBus.Error.")) }
    #expect(try await caller.state() == "signed-out")
    // Unknown keys are ignored.
    let more: VariantDictionary = ["new_in_version_9": UInt32(1), "": "empty", "Model": ["x"]]
    try await caller.call("Session.StartDeviceCodeSignIn", more)
    try await caller.waitFor("signed-in")
    #expect(try await caller.send("hi", more, at: caller.open("Client", more)).contains("hi"))
  }
}

extension Turn {
  /// Expects that the deltas follow each other, are `text` together, and that the turn has ended once.
  func expectDeltas(of text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var (offsets, offset): ([Int], Int) = ([], 0)
    for delta in try deltas {
      offsets.append(offset)
      offset += delta.text.utf8.count
    }
    #expect(try deltas.map(\.text).joined() == text, sourceLocation: sourceLocation)
    #expect(try deltas.map(\.offset) == offsets, sourceLocation: sourceLocation)
    #expect(try deltas.allSatisfy { !$0.text.isEmpty }, sourceLocation: sourceLocation)
    #expect(endCount == 1, sourceLocation: sourceLocation)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// The model that answers: the default one, the chosen one, and its names.
@Suite(.worlds) @GLibActor
struct AnsweringModelTests {
  /// A list without the built-in default model, as the backend has it now.
  private static let withoutSeeds = #"[{"slug":"second","priority":2},{"slug":"best","priority":1}]"#
  private static let withSeeds = #"[{"slug":"best","priority":1},{"slug":"gpt-5.5","priority":9}]"#

  private func model(_ caller: Caller, at path: ObjectPath = .chappie) async throws -> String {
    try await caller.property("Client.Model", at: path)
  }

  private func source(_ caller: Caller, at path: ObjectPath = .chappie) async throws -> String {
    try await caller.property("Client.ModelSource", at: path)
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func theBestListedModelReplacesAnUnlistedDefault(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let other = try await world.caller()
    try await world.sandbox.offer(Self.withoutSeeds)
    #expect(try await source(caller) == "unconfirmed")
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await model(caller) == "best")
    #expect(try await source(caller) == "catalogue")
    try await other.catchUp()
    #expect(try other.changedValues("Model", of: "Client") == ["best"])
    #expect(try other.changedValues("ModelSource", of: "Client") == ["catalogue"])
    let details = try await caller.stream("again").end().answer.details
    #expect(details.text("model") == "best")
    let state = try await world.sandbox.state()
    #expect(state.lastResponsesRequest.body?.model == "best")
    // No request was refused, and the list was read once.
    try await world.expectRequests(["responses": 2, "models": 1])
    #expect(
      world.service.process?.output.contains("The default model is best: the backend does not offer gpt-5.5.") == true
    )
  }

  /// The kinds are an opened client, a continued conversation, a thread, and a summary by the model.
  @Test func theDefaultAppliesToEveryKindOfRequest() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offer(Self.withoutSeeds)
    let client = try await caller.open("Client")
    _ = try await caller.send("one", at: client)
    _ = try await caller.send("two", at: client)
    try await caller.call("Client.CompactContext", "", at: client)
    _ = try await caller.send("shared", ["continue": true])
    #expect(try await caller.send("in a thread", to: caller.createThread()).contains("in a thread"))
    let asked = try await world.chappie("ask", "--json", "from a terminal")
    #expect(asked.status == 0 && asked.text.contains(#""model":"best""#))
    let chatted = try await world.chappie("chat", input: "hello\n/model\n")
    #expect(chatted.status == 0 && chatted.text.contains("best\n"))
    try await world.expectRequests(["responses": 7, "models": 1])
  }

  /// The built-in default is used while it is listed. A list can be wrong.
  @Test func aRefusedDefaultIsReplacedEvenIfListed() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offer(Self.withSeeds)
    _ = try await caller.send("hi")
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-5.5")
    #expect(try await source(caller) == "catalogue")
    try await world.sandbox.play(
      #"""
      [{"endpoint":"responses","status":400,"body":{"detail":"The 'gpt-5.5' model requires a newer version of Codex. Please upgrade to the latest app or CLI and try again."}}]
      """#)
    #expect(try await caller.stream("hi").end().answer.details.text("model") == "best")
    _ = try await caller.send("again")
    #expect(try await world.sandbox.state().requests["responses"] == 4)
  }

  @Test func anUnavailableListStopsNoTurn() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offer(Self.withSeeds)
    try await world.sandbox.play(#"[{"endpoint":"models","status":503,"times":"always"}]"#)
    #expect(try await caller.send("one").contains("one"))
    #expect(try await caller.send("two").contains("two"))
    let state = try await world.sandbox.state()
    #expect(state.lastResponsesRequest.body?.model == "gpt-5.5")
    // The list is read neither before each turn nor repeatedly.
    #expect(state.requests["models"] == 1)
    #expect(try await source(caller) == "unconfirmed")
    // The default that was tried is retired.
    try await world.sandbox.play("[]")
    try await world.sandbox.offer(Self.withoutSeeds)
    #expect(try await caller.stream("hi").end().answer.details.text("model") == "best")
    #expect(try await world.sandbox.state().requests["models"] == 2)
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aChosenModelIsNeverReplaced(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    try await world.sandbox.offer(Self.withoutSeeds)
    let clients = [
      try await caller.open("Client", ["model": "gpt-5.5"]), try await caller.open("Client"),
    ]
    try await caller.call("Client.SelectModel", "gpt-5.5", at: clients[1])
    for client in clients {
      #expect(try await source(caller, at: client) == "chosen")
      try await expectRefusal("HTTPError", saying: "'gpt-5.5'", "best, second") {
        try await caller.send("hi", at: client)
      }
      #expect(try await model(caller, at: client) == "gpt-5.5")
    }
    let once = try await refusal { try await caller.send("hi", ["model": "gpt-5.5"]) }
    #expect(once.message.contains("best, second"))
    #expect(try await world.sandbox.state().requests["responses"] == 3)
  }

  // MARK: The command

  @Test func statusShowsTheModel() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offer(Self.withoutSeeds)
    let status = try await world.chappie("status")
    #expect(status.text.hasSuffix("\nbest answers.\n"))
    #expect(try await world.chappie("status", "--json").text.contains(#""model":"best","model_source":"catalogue""#))
    try await caller.call("Client.SelectModel", "second")
    #expect(try await world.chappie("status").text.hasSuffix("\nsecond answers, because it was chosen.\n"))
  }

  @Test func statusDoesNotShowAnUnknownModel() async throws {
    let (world, _) = try await World.signedIn()
    try await world.sandbox.play(#"[{"endpoint":"models","status":404,"times":"always"}]"#)
    #expect(
      try await world.chappie("status").text.hasSuffix("\ngpt-5.5 answers, if the backend still offers it.\n"))
    #expect(try await world.chappie("models").status != 0)
  }

  // MARK: A choice

  @Test func theSelectedModelAnswersFromThenOn() async throws {
    try await World.signedIn(each: transports) { world, caller, transport in
      let client = try await caller.open("Client", transport)
      _ = try await caller.send("before", at: client)
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6.1-sol")
      try await caller.call("Client.SelectModel", "gpt-6-sol", at: client)
      #expect(try await caller.property("Client.Model", at: client) == "gpt-6-sol")
      let details = try await caller.stream("after", at: client).end().answer.details
      #expect(details.text("model") == "gpt-6-sol")
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
      // A turn may still name another model.
      _ = try await caller.send("once", ["model": "gpt-6-luna"], at: client)
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-luna")
      #expect(try await caller.property("Client.Model", at: client) == "gpt-6-sol")
      // Other clients keep theirs.
      #expect(try await caller.property("Client.Model") == "gpt-6.1-sol")
    }
  }

  @Test func onlyAChangeIsSignalled() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let other = try await world.caller()
    for slug in ["gpt-6-sol", "gpt-6-sol", "gpt-5.5"] { try await caller.call("Client.SelectModel", slug) }
    for slug in ["", "a\nb", String(repeating: "m", count: 256)] {
      try await expectRefusal("InvalidArgument") { try await caller.call("Client.SelectModel", slug) }
    }
    try await other.catchUp()
    #expect(try other.changedValues("Model", of: "Client") == ["gpt-6-sol", "gpt-5.5"])
    #expect(try await caller.property("Client.Model") == "gpt-5.5")
  }

  // MARK: The user's own names

  private nonisolated static let names = World.Plan(
    configuration: "[Client]\nModel=best\n[Models]\nbest=gpt-6-sol\nfast=gpt-6-luna\n")

  @Test func aQuestionMayUseAnotherName() async throws {
    let lines = ["--model fast", "--thread new -m fast", "--continue -m fast"]
    try await World.signedIn(Self.names, each: lines) { world, _, words in
      let output = try await world.shell(#""$0" ask \#(words) --json Hello | grep -c '"model":"gpt-6-luna"'"#)
      #expect(output.text == "1\n")
    }
  }

  @Test func theDefaultAndASelectionMayUseAnotherName() async throws {
    let (world, caller) = try await World.signedIn(Self.names)
    #expect(try await caller.property("Client.Model") == "gpt-6-sol")
    #expect(try await caller.property("Client.ModelSource") == "chosen")
    _ = try await caller.send("hi")
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
    try await caller.call("Client.SelectModel", "fast")
    #expect(try await caller.property("Client.Model") == "gpt-6-luna")
    let chat = try await world.chappie("chat", "--model", "best", input: "/model\n/model fast\n")
    #expect(chat.text == "gpt-6-sol\ngpt-6-luna answers from now on.\n")
    let json = try await world.shell(#""$0" models --json | grep -c '^{"slug":"gpt-6-luna","aliases":\["fast"\],'"#)
    #expect(json.text == "1\n")
    let table = try await world.shell(#""$0" models | grep -F 'GPT-6-Luna, fast ' | wc -l"#)
    #expect(table.text == "1\n")
  }

  @Test func theOfferedModelsAreASentenceOfTheirOwn() async throws {
    try await World.signedIn(each: ["", "."]) { world, caller, end in
      try await world.sandbox.play(
        """
        [{"endpoint":"responses","status":404,"times":"always",
          "body":{"error":{"code":"model_not_found","message":"The model does not exist\(end)"}}}]
        """)
      let error = try await refusal { try await caller.send("hi", ["model": "gpt-0"]) }
      #expect(error.message.contains("does not exist. Choose one that is offered: gpt-"), "\(error)")
    }
  }

  // MARK: The form of a request

  private static let lite = #"""
    [{"slug":"lite","priority":1,"multi_agent_reasoning_effort":"xhigh",
    "supported_reasoning_levels":[{"effort":"low"},{"effort":"high"},{"effort":"xhigh"},{"effort":"ultra"}]},
    {"slug":"hidden","priority":2,"visibility":"hide"},{"slug":"plain","priority":3,"use_responses_lite":false}]
    """#

  private static let header = "x-openai-internal-codex-responses-lite"

  @Test(arguments: World.Plan.Transport.allCases)
  func modelsThatAskForTheLiteFormGetIt(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    try await world.sandbox.offer(Self.lite)
    try await world.sandbox.play(#"[{"endpoint":"responses","requires_lite":true,"times":"always"}]"#)
    #expect(try await caller.send("hi", ["instructions": "Rhyme."]).contains("1 message."))
    let request = try await world.sandbox.state().lastResponsesRequest
    let body = try #require(request.body)
    #expect(body.model == "lite")
    #expect(body.isLite && body.parallelToolCalls == false)
    #expect(body.plainInstructions == nil && body.plainTools == nil)
    #expect(body.instructions.hasSuffix("Rhyme."))
    #expect(body.reasoning?.effort == nil)
    #expect(request.headers[Self.header] == (transport == .http ? "true" : nil))
    #expect(
      body.clientMetadata?["ws_request_header_x_openai_internal_codex_responses_lite"]
        == (transport == .http ? nil : "true"))
    // An unlisted model is asked in the form of its entry.
    _ = try await caller.send("hi", ["model": "hidden"])
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.isLite == true)
    // A conversation goes on with tools. Over a WebSocket only new items are sent.
    let client = try await caller.open("Client")
    let handler = try ToolHandler(caller) { _ in "two cups" }
    try await caller.register([Tools.named("brew")], ToolHandler.path, at: client)
    #expect(try await caller.send("use brew {}", at: client) == "The tool brew said: two cups")
    #expect(handler.calls.count == 1)
    _ = try await caller.send("and now", at: client)
    let last = try await world.sandbox.state()
    if transport == .http {
      #expect(last.lastTools == ["brew"])
    } else {
      #expect(last.lastInput == ["user: and now"])
    }
    // An effort is sent as the model lists it.
    _ = try await caller.send("hi", ["reasoning_effort": "ultra"])
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.reasoning?.effort == "xhigh")
    // Each request names its protocol version.
    #expect(request.headers["version"] == "0.163.0")
    #expect(request.headers["originator"] == "chappie")
    #expect(request.headers["user-agent"]?.hasPrefix("chappie/") == true)

    try await world.sandbox.play("[]")
    _ = try await caller.send("hi", ["model": "plain"])
    let other = try await world.sandbox.state().lastResponsesRequest
    #expect(other.body?.isLite == false)
    #expect(other.body?.plainInstructions?.isEmpty == false)
    #expect(other.body?.clientMetadata == nil)
    #expect(other.headers[Self.header] == nil)
  }

  /// The list was unavailable, and the backend accepts the lite form alone.
  @Test func aRefusalRevealsTheLiteForm() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offer(Self.lite)
    try await world.sandbox.play(
      #"[{"endpoint":"models","status":503},{"endpoint":"responses","requires_lite":true,"times":"always"}]"#)
    #expect(try await caller.send("hi", ["model": "lite"]).contains("1 message."))
    #expect(try await world.sandbox.state().requests["responses"] == 2)
  }
}

// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The model that answers without an explicit choice.
@Suite(.worlds) @GLibActor
struct DefaultModelTests {
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
    try await World.signedIn(transport) { world, caller in
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
      #expect(state.requests["responses"] == 2)
      #expect(state.requests["models"] == 1)
      #expect(
        world.service.process?.output.contains("The default model is best: the backend does not offer gpt-5.5.") == true
      )
    }
  }

  /// The kinds are an opened client, a continued conversation, a thread, and a summary by the model.
  @Test func theDefaultAppliesToEveryKindOfRequest() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.offer(Self.withoutSeeds)
      let client = try await caller.open("Client")
      _ = try await caller.send("one", at: client)
      _ = try await caller.send("two", at: client)
      try await caller.call("Client.CompactContext", "", at: client)
      _ = try await caller.send("shared", ["continue": true])
      let thread: String = try await caller.call("Threads.Create", VariantDictionary()).member(0, "thread")
      let options = VariantDictionary()
      let answer: String = try await caller.call("Threads.Send", thread, "in a thread", options).member(0, "answer")
      #expect(answer.contains("in a thread"))
      let asked = try await world.chappie("ask", "--json", "from a terminal")
      #expect(asked.status == 0 && asked.text.contains(#""model":"best""#))
      let chatted = try await world.chappie("chat", input: "hello\n/model\n")
      #expect(chatted.status == 0 && chatted.text.contains("best\n"))
      let state = try await world.sandbox.state()
      #expect(state.requests["responses"] == 7)
      #expect(state.requests["models"] == 1)
    }
  }

  /// The built-in default is used while it is listed. A list can be wrong.
  @Test func aRefusedDefaultIsReplacedEvenIfListed() async throws {
    try await World.signedIn { world, caller in
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
  }

  @Test func anUnavailableListStopsNoTurn() async throws {
    try await World.signedIn { world, caller in
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
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aChosenModelIsNeverReplaced(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      try await world.sandbox.offer(Self.withoutSeeds)
      let clients = [
        try await caller.open("Client", ["model": "gpt-5.5"]), try await caller.open("Client"),
      ]
      try await caller.call("Client.SelectModel", "gpt-5.5", at: clients[1])
      for client in clients {
        #expect(try await source(caller, at: client) == "chosen")
        let refused = try await refusal { try await caller.send("hi", at: client) }
        #expect(refused.name == "HTTPError")
        #expect(refused.message.contains("'gpt-5.5'"))
        #expect(refused.message.contains("best, second"))
        #expect(try await model(caller, at: client) == "gpt-5.5")
      }
      let once = try await refusal { try await caller.send("hi", ["model": "gpt-5.5"]) }
      #expect(once.message.contains("best, second"))
      #expect(try await world.sandbox.state().requests["responses"] == 3)
    }
  }

  // MARK: The command

  @Test func statusShowsTheModel() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.offer(Self.withoutSeeds)
      let status = try await world.chappie("status")
      #expect(status.text.hasSuffix("\nbest answers.\n"))
      #expect(try await world.chappie("status", "--json").text.contains(#""model":"best","model_source":"catalogue""#))
      try await caller.call("Client.SelectModel", "second")
      #expect(try await world.chappie("status").text.hasSuffix("\nsecond answers, because it was chosen.\n"))
    }
  }

  @Test func statusDoesNotShowAnUnknownModel() async throws {
    try await World.signedIn { world, _ in
      try await world.sandbox.play(#"[{"endpoint":"models","status":404,"times":"always"}]"#)
      #expect(
        try await world.chappie("status").text.hasSuffix("\ngpt-5.5 answers, if the backend still offers it.\n"))
      #expect(try await world.chappie("models").status != 0)
    }
  }
}

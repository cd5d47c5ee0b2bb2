// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The form of a request follows the model's catalogue entry.
@Suite(.worlds) @GLibActor
struct LiteFormTests {
  private static let lite = #"""
    [{"slug":"lite","priority":1,"multi_agent_reasoning_effort":"xhigh",
    "supported_reasoning_levels":[{"effort":"low"},{"effort":"high"},{"effort":"xhigh"},{"effort":"ultra"}]},
    {"slug":"hidden","priority":2,"visibility":"hide"},{"slug":"plain","priority":3,"use_responses_lite":false}]
    """#
  private static let header = "x-openai-internal-codex-responses-lite"

  private func demandLite(_ world: World) async throws {
    try await world.sandbox.offer(Self.lite)
    try await world.sandbox.play(#"[{"endpoint":"responses","requires_lite":true,"times":"always"}]"#)
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func modelsThatAskForTheLiteFormGetIt(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      try await demandLite(world)
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
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func otherModelsGetThePlainForm(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      try await world.sandbox.offer(Self.lite)
      _ = try await caller.send("hi", ["model": "plain"])
      let request = try await world.sandbox.state().lastResponsesRequest
      #expect(request.body?.isLite == false)
      #expect(request.body?.plainInstructions?.isEmpty == false)
      #expect(request.body?.clientMetadata == nil)
      #expect(request.headers[Self.header] == nil)
    }
  }

  /// Tools are declared, called and answered; over a WebSocket only new items are sent.
  @Test(arguments: transports)
  func aConversationGoesOnWithTools(_ transport: VariantDictionary) async throws {
    try await World.signedIn { world, caller in
      try await demandLite(world)
      let client = try await caller.open("Client", transport)
      let handler = try ToolHandler(caller) { _ in "two cups" }
      try await caller.register([Tools.named("brew")], ToolHandler.path, at: client)
      #expect(try await caller.send("use brew {}", at: client) == "The tool brew said: two cups")
      #expect(handler.calls.count == 1)
      var state = try await world.sandbox.state()
      #expect(state.lastOutputs == ["two cups"])
      #expect(try await caller.send("and now", at: client).contains("messages"))
      state = try await world.sandbox.state()
      let body = try #require(state.lastResponsesRequest.body)
      if state.lastResponsesRequest.transport == "websocket" {
        #expect(body.previousResponseId != nil)
        #expect(state.lastInput == ["user: and now"])
        #expect(state.requests["handshake"] == 1)
      } else {
        #expect(state.lastTools == ["brew"])
      }
    }
  }

  /// The list was unavailable, and the backend accepts the lite form alone.
  @Test func aRefusalRevealsTheLiteForm() async throws {
    try await World.signedIn { world, caller in
      try await demandLite(world)
      try await world.sandbox.play(
        #"[{"endpoint":"models","status":503},{"endpoint":"responses","requires_lite":true,"times":"always"}]"#)
      #expect(try await caller.send("hi", ["model": "lite"]).contains("1 message."))
      #expect(try await world.sandbox.state().requests["responses"] == 2)
    }
  }

  // MARK: Effort

  @Test func anEffortIsSentAsTheModelListsIt() async throws {
    let efforts = [("minimal", "low"), ("medium", "high"), ("high", "high"), ("max", "xhigh"), ("ultra", "xhigh")]
    try await World.signedIn(each: efforts) { world, caller, effort in
      let (wanted, sent) = effort
      try await world.sandbox.offer(Self.lite)
      _ = try await caller.send("hi", ["reasoning_effort": wanted])
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.reasoning?.effort == sent)
    }
  }

  // MARK: Identification

  @Test(arguments: World.Plan.Transport.allCases)
  func eachRequestNamesItsProtocolVersion(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      _ = try await caller.send("hi")
      let headers = try await world.sandbox.state().lastResponsesRequest.headers
      #expect(headers["version"] == "0.163.0")
      #expect(headers["originator"] == "chappie")
      #expect(headers["user-agent"]?.hasPrefix("chappie/") == true)
    }
  }
}

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

  @Test(arguments: World.Plan.Transport.allCases)
  func modelsThatAskForTheLiteFormGetIt(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
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
  }

  /// The list was unavailable, and the backend accepts the lite form alone.
  @Test func aRefusalRevealsTheLiteForm() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.offer(Self.lite)
      try await world.sandbox.play(
        #"[{"endpoint":"models","status":503},{"endpoint":"responses","requires_lite":true,"times":"always"}]"#)
      #expect(try await caller.send("hi", ["model": "lite"]).contains("1 message."))
      #expect(try await world.sandbox.state().requests["responses"] == 2)
    }
  }
}

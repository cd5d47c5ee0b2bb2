// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Tools that an object of the caller runs.
@Suite(.worlds) @GLibActor
struct HandlerTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func aToolIsRun(_ transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport)) { world, caller in
      let handler = try ToolHandler(caller) { call in "\(call.tool): 7 °C" }
      try await caller.register([Tools.weather], ToolHandler.path)
      let turn = try await caller.stream(#"use weather {"city":"Oslo"}"#)
      #expect(try await turn.end().answer.text == "The tool weather said: weather: 7 °C")
      #expect(turn.endCount == 1)

      let call = try #require(handler.calls.first)
      #expect(handler.calls.count == 1)
      #expect(call.turn == turn.id)
      #expect(call.tool == "weather")
      #expect(call.arguments == #"{"city":"Oslo"}"#)
      let requested = try #require(try turn.requestedCalls.first)
      #expect(requested.id == call.id)
      #expect(requested.tool == "weather")
      #expect(requested.arguments == call.arguments)
      #expect(requested.policy == "automatic")
      let ended = try #require(try turn.endedCalls.first)
      #expect(ended.id == call.id)
      #expect(ended.status == "completed")
      #expect(ended.output == "weather: 7 °C")
      #expect(ended.milliseconds < 30_000)
      let state = try await world.sandbox.state()
      #expect(state.requests["responses"] == 2)
      #expect(state.lastOutputs == ["weather: 7 °C"])
      // Over a socket the model has the tools from the request before.
      #expect(state.lastTools == (transport == .http ? ["weather"] : []))

      // A turn of `Send` has tools too.
      #expect(try await caller.send(#"use weather {"city":"Rome"}"#) == "The tool weather said: weather: 7 °C")
      #expect(handler.calls.last?.arguments == #"{"city":"Rome"}"#)
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func callsOfOneAnswerRunConcurrently(_ transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport)) { world, caller in
      try await world.sandbox.offerPlainModel()
      let gates = ["one": Wait(), "two": Wait(), "three": Wait()]
      let handler = try ToolHandler(caller) { call in
        await gates[call.tool]?.value()
        return "done \(call.tool)"
      }
      try await caller.register(["one", "two", "three"].map { Tools.named($0) }, ToolHandler.path)
      let turn = try await caller.stream("use one\nuse two\nuse three")
      try await handler.waitForCalls(3)
      #expect(try await turn.snapshot().status == "waiting-for-tool")
      // They end in another order than they began, and the model gets the outputs in its own order.
      for name in ["three", "one", "two"] {
        gates[name]?.finish()
        try await eventually("the end of \(name)") { try turn.endedCalls.last?.output == "done \(name)" }
      }
      let lines = ["one", "two", "three"].map { "The tool \($0) said: done \($0)" }
      #expect(try await turn.end().answer.text == lines.joined(separator: "\n"))
      #expect(try await world.sandbox.state().lastOutputs == ["done one", "done two", "done three"])
      #expect(Set(try turn.requestedCalls.map(\.id)).count == 3)
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func signalsComeInOrder(_ transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport)) { world, caller in
      let handler = try ToolHandler(caller) { _ in "12:30" }
      try await caller.register([Tools.named("clock")], ToolHandler.path)
      try await world.sandbox.callTools(#"[{"name":"clock"}]"#, saying: "Let me see.")
      let turn = try await caller.stream("What time is it?")
      let text = try await turn.end().answer.text
      #expect(text == "Let me see.\n\nThe tool clock said: 12:30")
      #expect(handler.calls.count == 1)
      var length = 0
      var seen: [String] = []
      for signal in caller.signals where (try? signal.turn) == turn.id && signal.member != "UsageLimitsUpdated" {
        if signal.member == "TextDelta" {
          #expect(Int(try signal.arguments.member(1, "offset", as: UInt64.self)) == length)
          length += try signal.arguments.member(2, "text", as: String.self).utf8.count
          if seen.last != signal.member { seen.append(signal.member) }
        } else {
          seen.append(signal.member)
        }
        // The call follows all of the first text, and the second text follows the call's end.
        if signal.member == "ToolCallRequested" { #expect(length == "Let me see.".utf8.count) }
        if signal.member == "ToolCallCompleted" { #expect(length == "Let me see.".utf8.count) }
      }
      #expect(seen == ["TextDelta", "ToolCallRequested", "ToolCallCompleted", "TextDelta", "Completed"])
      #expect(length == text.utf8.count)
    }
  }

  /// On an opened client the calls are part of the conversation.
  @Test(arguments: World.Plan.Transport.allCases)
  func theConversationGoesOnAfterATool(_ transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport)) { _, caller in
      let client = try await caller.open("Client")
      let handler = try ToolHandler(caller) { _ in "12:30" }
      try await caller.register([Tools.named("clock")], ToolHandler.path, at: client)
      #expect(try await caller.send("use clock", at: client) == "The tool clock said: 12:30")
      #expect(try await caller.send("use clock", at: client) == "The tool clock said: 12:30")
      #expect(handler.calls.count == 2)
      #expect(try await caller.send("and now?", at: client).contains("“and now?”"))
      // The context lists messages, without the calls.
      let context: VariantDictionary = try await caller.call("Client.GetContext", at: client).member(0, "context")
      #expect(try context.value("message_count", as: UInt32.self) == 6)
    }
  }

  @Test func longOutputsAreTruncated() async throws {
    try await World.signedIn { world, caller in
      let handler = try ToolHandler(caller) { call in
        String(repeating: "x", count: try #require(Int(call.arguments.filter(\.isNumber))))
      }
      let schema = #"{"type":"object","properties":{"bytes":{"type":"integer"}}}"#
      try await caller.register([["name": "read", "input_schema": schema]], ToolHandler.path)
      for count in [256 << 10, 256 << 10 + 1, 4 << 20 + 1] {
        let turn = try await caller.stream(#"use read {"bytes":\#(count)}"#)
        _ = try await turn.end().answer
        let ended = try #require(try turn.endedCalls.first)
        #expect(ended.status == "completed")
        let whole = String(repeating: "x", count: min(count, 256 << 10))
        let note = count > 256 << 10 ? "\n[cut here: the output had \(count) bytes]" : ""
        #expect(ended.output == whole + note)
        #expect(try await world.sandbox.state().lastOutputs == [whole + note])
      }
      #expect(handler.calls.count == 3)
    }
  }

  @Test(.sandboxes)
  func aSandboxedAppMayUseToolsOnItsOwnObjects() async throws {
    try await World.with { world in
      let (app, client) = try await world.signedInApp()
      let handler = try ToolHandler(app) { _ in "from within" }
      try await app.register([Tools.named("look")], ToolHandler.path, at: client)
      #expect(try await app.send("use look", at: client) == "The tool look said: from within")
      #expect(handler.calls.count == 1)
      try await expectRefusal("AccessDenied") { try await app.register([Tools.named("look")], ToolHandler.path) }
      let outside = try await world.caller()
      let refused = try await refusal { try await outside.register([Tools.named("look")], at: client) }
      #expect(refused.name == "AccessDenied")
    }
  }
}

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

  /// On an opened client the calls are part of the conversation.
  @Test func signalsComeInOrderAndTheConversationGoesOn() async throws {
    try await World.signedIn { world, caller in
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

      let client = try await caller.open("Client")
      try await caller.register([Tools.named("clock")], ToolHandler.path, at: client)
      for count in 2...3 {
        #expect(try await caller.send("use clock", at: client) == "The tool clock said: 12:30")
        #expect(handler.calls.count == count)
      }
      #expect(try await caller.send("and now?", at: client).contains("“and now?”"))
      // The context lists messages, without the calls.
      #expect(try await caller.context(at: client).number("message_count") == 6)
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

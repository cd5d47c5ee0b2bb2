// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The tools of a turn: their owner and their number.
@Suite(.worlds) @GLibActor
struct ToolScopeTests {
  @Test func aCallersToolsAreItsOwn() async throws {
    try await World.signedIn { world, caller in
      let other = try await world.caller()
      let handler = try ToolHandler(caller) { _ in "mine" }
      try await caller.register([Tools.named("look")], ToolHandler.path)
      #expect(try await other.send("use look").contains("You said"))
      #expect(try await world.sandbox.state().lastTools.isEmpty)
      try await other.register([Tools.named("listen")])
      _ = try await caller.send("hi")
      #expect(try await world.sandbox.state().lastTools == ["look"])
      // Another object of the same service has none of them.
      let client = try await caller.open("Client")
      _ = try await caller.send("hi", at: client)
      #expect(try await world.sandbox.state().lastTools.isEmpty)
      #expect(handler.calls.isEmpty)

      // A new registration replaces the old one.
      try await caller.register([Tools.named("smell")])
      _ = try await caller.send("hi", ["tools": [Tools.named("taste")]])
      #expect(try await world.sandbox.state().lastTools.sorted() == ["smell", "taste"])
      // A refused registration keeps the old tools.
      try await expectRefusal("InvalidArgument") { try await caller.register([Tools.named("brew tea")]) }
      _ = try await caller.send("hi")
      #expect(try await world.sandbox.state().lastTools == ["smell"])
      try await caller.register([])
      _ = try await caller.send("hi")
      #expect(try await world.sandbox.state().lastTools.isEmpty)
    }
  }

  @Test func aToolWithoutAHandlerEndsTheTurn() async throws {
    try await World.signedIn(.http) { world, caller in
      let harness: VariantDictionary = ["tools": [Tools.weather]]
      let client = try await caller.open("Client", ["harness": harness])
      let turn = try await caller.stream(#"use weather {"city":"Oslo"}"#, at: client)
      let failure = try await turn.end().failure
      #expect(failure.name == "MissingToolHandler")
      #expect(failure.message.contains("'weather'"))
      #expect(failure.details.text("tool") == "weather")
      // A handler needs no description: the harness's description applies.
      let handler = try ToolHandler(caller) { _ in "7 °C" }
      try await caller.register([Tools.named("weather")], ToolHandler.path, at: client)
      #expect(try await caller.send(#"use weather {"city":"Oslo"}"#, at: client) == "The tool weather said: 7 °C")
      #expect(try await world.sandbox.state().lastTools == ["weather"])
      #expect(handler.calls.count == 1)
    }
  }

  // MARK: Refused registrations

  private nonisolated static let wrong: [(tools: [VariantDictionary], error: String, message: String)] = [
    ([["description": "?"]], "InvalidArgument", "'name'"),
    ([Tools.named("brew tea")], "InvalidArgument", "'brew tea'"),
    ([["name": "brew", "input_schema": "[]"]], "InvalidArgument", "'brew'"),
    ([Tools.named("brew", policy: "maybe")], "InvalidArgument", "maybe"),
    ([Tools.named("brew", timeLimit: 0)], "InvalidArgument", "'time_limit'"),
    ([Tools.named("brew", timeLimit: 3601)], "InvalidArgument", "'time_limit'"),
    ([["name": "brew", "time_limit": "1"]], "InvalidArgument", "'time_limit'"),
    ([Tools.named("brew"), Tools.named("brew")], "InvalidArgument", "same name"),
    ((0...128).map { Tools.named("tool-\($0)") }, "LimitExceeded", "128"),
  ]

  @Test func aToolThatTheModelCannotUseIsRefused() async throws {
    try await World.signedIn { world, caller in
      for (tools, error, message) in Self.wrong {
        let calls: [() async throws -> Void] = [
          { try await caller.register(tools) }, { _ = try await caller.stream("hi", ["tools": tools]) },
        ]
        for call in calls {
          let refused = try await refusal(of: call)
          #expect(refused.name == error)
          #expect(refused.message.contains(message), "\(refused.message)")
        }
      }
      #expect(try await world.sandbox.state().requests["responses"] == 0)
      try await caller.register((0..<128).map { Tools.named("tool-\($0)") })
      _ = try await caller.send("hi")
      #expect(try await world.sandbox.state().lastTools.count == 128)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

/// Tools that an object of the caller runs, and those that a turn has.
@Suite(.worlds) @GLibActor
struct HandlerTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func aToolIsRun(_ transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(World.Plan(transport: transport))
    let handler = try ToolHandler(caller) { call in "\(call.tool): 7 °C" }
    try await caller.register([Tools.weather], ToolHandler.path)
    let turn = try await caller.stream(#"use weather {"city":"Oslo"}"#)
    #expect(try await turn.end().answer.text == "The tool weather said: weather: 7 °C")

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
    let state = try await world.sandbox.state()
    #expect(state.requests["responses"] == 2)
    #expect(state.lastOutputs == ["weather: 7 °C"])
    // Over a socket the model has the tools from the request before.
    #expect(state.lastTools == (transport == .http ? ["weather"] : []))

    // A turn of `Send` has tools too.
    #expect(try await caller.send(#"use weather {"city":"Rome"}"#) == "The tool weather said: weather: 7 °C")
    #expect(handler.calls.last?.arguments == #"{"city":"Rome"}"#)
  }

  /// On an opened client the calls are part of the conversation.
  @Test func signalsComeInOrderAndTheConversationGoesOn() async throws {
    let (world, caller) = try await World.signedIn()
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

  @Test(.sandboxes)
  func aSandboxedAppMayUseToolsOnItsOwnObjects() async throws {
    let world = try await World.begin()
    let (app, client) = try await world.signedInApp()
    let handler = try ToolHandler(app) { _ in "from within" }
    try await app.register([Tools.named("look")], ToolHandler.path, at: client)
    #expect(try await app.send("use look", at: client) == "The tool look said: from within")
    #expect(handler.calls.count == 1)
    try await expectRefusal("AccessDenied") { try await app.register([Tools.named("look")], ToolHandler.path) }
    let outside = try await world.caller()
    try await expectRefusal("AccessDenied") { try await outside.register([Tools.named("look")], at: client) }
  }

  // MARK: Cancelled turns

  /// Expects that the turn ended once, as cancelled, after signals for the end of each call.
  private func expectCancelled(_ turn: Turn, calls: Int) async throws {
    #expect(try await turn.end().failure.name == "Cancelled")
    try await turn.caller.catchUp()
    #expect(turn.endCount == 1)
    #expect(try turn.endedCalls.map(\.status) == Array(repeating: "cancelled", count: calls))
    let members = turn.caller.signals.filter { (try? $0.turn) == turn.id }.map(\.member)
    #expect(members.last == "Failed")
    let seen = try await turn.snapshot()
    #expect(seen.status == "cancelled")
    #expect(seen.details.text("error") == "org.chappie.Error.Cancelled")
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aTurnIsCancelledDuringATool(_ transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(World.Plan(transport: transport))
    let gate = Wait()
    let handler = try ToolHandler(caller) { _ in
      await gate.value()
      return "too late"
    }
    try await caller.register([Tools.named("look"), Tools.named("listen")], ToolHandler.path)
    try await world.sandbox.callTools(#"[{"name":"look"},{"name":"listen"}]"#, saying: "Let me see.")
    let turn = try await caller.stream("go")
    try await handler.waitForCalls(2)
    #expect(try await turn.snapshot().status == "waiting-for-tool")
    try await turn.cancel()
    try await expectCancelled(turn, calls: 2)
    #expect(try await turn.snapshot().text == "Let me see.")
    #expect(try await turn.snapshot().details.text("partial_text") == "Let me see.")
    // A late result changes nothing.
    gate.finish()
    try await caller.catchUp()
    #expect(turn.endCount == 1)
    #expect(try await world.sandbox.state().requests["responses"] == 1)
    #expect(try await caller.send("again").contains("again"))
  }

  @Test func aTurnIsCancelledDuringAnApproval() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offerPlainModel()
    let handler = try ToolHandler(caller) { _ in "done" }
    try await caller.register([Tools.named("delete", policy: "ask")], ToolHandler.path)
    let turn = try await caller.stream("use delete\nuse delete")
    let call = try await turn.approvalRequest(2)
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    try await turn.cancel()
    try await expectCancelled(turn, calls: 2)
    try await expectRefusal("InvalidArgument") { try await caller.resolve(call, of: turn, true) }
    #expect(handler.calls.isEmpty)

    // A call that no handler answers.
    try await caller.register([Tools.named("look")])
    let unanswered = try await caller.stream("use look")
    let pending = try await unanswered.requestedCall().id
    try await unanswered.cancel()
    try await expectCancelled(unanswered, calls: 1)
    try await expectRefusal("InvalidArgument") { try await caller.submit("late", for: pending, of: unanswered) }

    // The end of the service.
    let last = try await caller.stream("use look")
    _ = try await last.requestedCall()
    await world.service.end()
    let failed = try await caller.signal("Failed") { try $0.turn == last.id }
    #expect(try failed.arguments.member(1, "error") == "org.chappie.Error.Cancelled")
    #expect(last.endCount == 1)
  }

  // MARK: The tools of a turn: their owner and their number

  @Test func aCallersToolsAreItsOwn() async throws {
    let (world, caller) = try await World.signedIn()
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

  @Test func aToolWithoutAHandlerEndsTheTurn() async throws {
    let (world, caller) = try await World.signedIn(.http)
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

  private nonisolated static let wrong: [(tools: [VariantDictionary], error: String, message: String)] = [
    ([Tools.named("brew tea")], "InvalidArgument", "'brew tea'"),
    ([Tools.named("brew", timeLimit: 3601)], "InvalidArgument", "'time_limit'"),
    ([Tools.named("brew"), Tools.named("brew")], "InvalidArgument", "same name"),
    ((0...128).map { Tools.named("tool-\($0)") }, "LimitExceeded", "128"),
  ]

  @Test func aToolThatTheModelCannotUseIsRefused() async throws {
    let (world, caller) = try await World.signedIn()
    for (tools, error, message) in Self.wrong {
      let calls: [() async throws -> Void] = [
        { try await caller.register(tools) }, { _ = try await caller.stream("hi", ["tools": tools]) },
      ]
      for call in calls { try await expectRefusal(error, saying: message, of: call) }
    }
    #expect(try await world.sandbox.state().requests["responses"] == 0)
    try await caller.register((0..<128).map { Tools.named("tool-\($0)") })
    _ = try await caller.send("hi")
    #expect(try await world.sandbox.state().lastTools.count == 128)
  }
}

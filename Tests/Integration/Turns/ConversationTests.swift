// SPDX-License-Identifier: Apache-2.0

/// The conversation before a turn.
@Suite(.worlds) @GLibActor
struct ConversationTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func sharedObjectsRememberOnlyContinuedTurns(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let other = try await world.caller()
    _ = try await caller.send("alone")
    _ = try await caller.send("first", ["continue": true])
    _ = try await caller.send("alone again")
    #expect(try await world.sandbox.state().lastInput == ["user: alone again"])
    // The transcript belongs to the object, not to a caller.
    #expect(try await other.send("second", ["continue": true]).contains("3 messages"))
    let state = try await world.sandbox.state()
    // The turn between has used the socket, so the backend needs the whole conversation.
    #expect(state.lastInput.count == 3)
    #expect(state.lastInput.first == "user: first")
    #expect(state.lastInput.last == "user: second")

    // A turn may say that it begins anew.
    #expect(try await caller.send("other first", ["begin": true]).contains("1 message"))
    #expect(try await world.sandbox.state().lastInput == ["user: other first"])
    #expect(try await caller.send("second", ["continue": true]).contains("3 messages"))
    #expect(try await world.sandbox.state().lastInput.first == "user: other first")
    // A turn that fails begins nothing.
    try await world.sandbox.play(#"[{"endpoint":"responses","status":400}]"#)
    _ = try await refusal { try await caller.send("broken", ["begin": true]) }
    #expect(try await caller.send("third", ["continue": true]).contains("5 messages"))
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func anOpenedClientRemembersItsConversation(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let client = try await caller.open("Client")
    #expect(try await caller.send("one", at: client).contains("1 message."))
    #expect(try await caller.stream("two", at: client).end().answer.text.contains("3 messages"))
    // A caller's own transcript replaces the client's.
    _ = try await caller.call("Client.Respond", [Message("user", "new")], VariantDictionary(), at: client)
    #expect(try await world.sandbox.state().lastInput == ["user: new"])
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.previousResponseId == nil)
    #expect(try await caller.send("three", at: client).contains("3 messages"))
    let second = try await caller.open("Client")
    #expect(second != client)
    #expect(try await caller.send("other", at: second).contains("1 message."))

    // Turns of a conversation wait for each other.
    let third = try await caller.open("Client")
    try await world.sandbox.stall(times: "1")
    let requests = try await world.sandbox.state().requests["responses"] ?? 0
    let stalled = try await caller.stalledTurn(at: third)
    let waiting = try await caller.stream("second", at: third)
    #expect(try await caller.property("Client.ActiveTurns", at: third, as: [String].self).count == 2)
    try await caller.catchUp()
    #expect(try await world.sandbox.state().requests["responses"] == requests + 1)
    try await stalled.cancel()
    #expect(try await waiting.end().answer.text.contains("1 message."))
  }

  /// A failed turn is not part of the conversation.
  @Test(arguments: World.Plan.Transport.allCases)
  func anOpenedClientForgetsAFailedTurn(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let client = try await caller.open("Client", transport.impatient)
    _ = try await caller.send("one", at: client)
    try await world.sandbox.play(#"[{"endpoint":"responses","drop_after":1}]"#)
    _ = try await refusal { try await caller.send("broken", at: client) }
    #expect(try await caller.send("two", at: client).contains("3 messages"))
    let input = try await world.sandbox.state().lastInput
    #expect(input.count == 3)
    #expect(!input.contains("user: broken"))
  }
}

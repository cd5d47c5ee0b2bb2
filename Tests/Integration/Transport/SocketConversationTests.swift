// SPDX-License-Identifier: Apache-2.0

/// One socket for the turns of a conversation: its requests and its lifetime.
@Suite(.worlds) @GLibActor
struct SocketConversationTests {
  /// Asks, and expects a request with the whole conversation.
  private func expectWhole(
    _ count: Int, _ world: World, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let state = try await world.sandbox.state()
    #expect(state.lastInput.count == count, sourceLocation: sourceLocation)
    #expect(state.lastResponsesRequest.body?.previousResponseId == nil, sourceLocation: sourceLocation)
    #expect(state.lastResponsesRequest.transport == "websocket", sourceLocation: sourceLocation)
  }

  // MARK: Requests

  @Test func onlyNewItemsAreSent() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    let first = try await caller.stream("one", at: client)
    let id = try await first.end().answer.details.text("response_id")
    try await expectWhole(1, world)
    for (number, text) in ["two", "three"].enumerated() {
      #expect(try await caller.send(text, at: client).contains("\(2 * number + 3) messages"))
      let state = try await world.sandbox.state()
      #expect(state.lastInput == ["user: \(text)"])
      #expect(state.lastResponsesRequest.body?.input.count == 1)
      let previous = try #require(state.lastResponsesRequest.body?.previousResponseId)
      #expect((previous == id) == (number == 0))
    }
    #expect(try await world.sandbox.state().requests["handshake"] == 1)

    // A replaced transcript is sent whole.
    _ = try await caller.call("Client.Respond", [Message("user", "new")], VariantDictionary(), at: client)
    try await expectWhole(1, world)
    #expect(try await caller.send("four", at: client).contains("3 messages"))
    #expect(try await world.sandbox.state().lastInput == ["user: four"])

    // The backend's copy of the conversation ends with the socket.
    try await world.sandbox.play(#"[{"endpoint":"responses","drop_after":0}]"#)
    #expect(try await caller.send("five", at: client).contains("5 messages"))
    try await expectWhole(5, world)
    #expect(try await world.sandbox.state().requests["handshake"] == 2)
  }

  @Test func theWholeConversationIsSentAfterAnyOtherChange() async throws {
    let changes: [VariantDictionary] = [
      ["model": "gpt-6-sol"], ["instructions": "Rhyme."], ["reasoning_effort": "high"],
    ]
    try await World.signedIn(each: changes) { world, caller, options in
      let client = try await caller.open("Client")
      _ = try await caller.send("one", at: client)
      #expect(try await caller.send("two", options, at: client).contains("3 messages"))
      try await expectWhole(3, world)
      // After that, only new items are sent again.
      #expect(try await caller.send("three", options, at: client).contains("5 messages"))
      let state = try await world.sandbox.state()
      #expect(state.lastInput == ["user: three"])
      #expect(state.requests["handshake"] == 1)
    }
  }

  /// The backend asks for it: the socket has reached its maximum age, or the previous answer is forgotten.
  @Test func theWholeConversationIsSentWhenTheBackendHasForgottenIt() async throws {
    let codes = ["previous_response_not_found", "websocket_connection_limit_reached"]
    try await World.signedIn(each: codes) { world, caller, code in
      let client = try await caller.open("Client", World.Plan.Transport.webSocket.impatient)
      _ = try await caller.send("one", at: client)
      try await world.sandbox.play(
        #"[{"endpoint":"responses","status":400,"body":{"error":{"code":"\#(code)","message":"Gone."}}}]"#)
      #expect(try await caller.send("two", at: client).contains("3 messages"))
      try await expectWhole(3, world)
      try await world.expectRequests(["handshake": 2, "responses": 3])
    }
  }

  // MARK: Tokens and sign-ins

  @Test func aNewSignInHasANewSocket() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    _ = try await caller.send("one", at: client)
    #expect(try await world.sandbox.state().openSockets == 1)
    try await caller.call("Session.SignOut")
    try await expectNoSocket(world)
    try await expectRefusal("MissingCredential") { try await caller.send("two", at: client) }
    #expect(try await world.sandbox.state().requests["responses"] == 1)
    try await caller.signIn()
    _ = try await caller.send("three", at: client)
    try await expectWhole(3, world)
    #expect(try await world.sandbox.state().requests["handshake"] == 2)

    // A turn that runs during the sign-out keeps its socket to its end, and no longer.
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two three","delta_delay_ms":700}]"#)
    let turn = try await caller.stream("hi")
    try await eventually("a part of the answer") { try await !turn.snapshot().text.isEmpty }
    try await caller.call("Session.SignOut")
    _ = try await turn.end()
    try await expectNoSocket(world)
  }

  private func expectNoSocket(_ world: World) async throws {
    try await eventually("the socket to be closed") { try await world.sandbox.state().openSockets == 0 }
  }

  /// An open socket needs no token, but no request goes over it while the screen is locked.
  @Test func noSocketIsUsedOrKeptWhileTheScreenIsLocked() async throws {
    let (world, caller, saver) = try await World.withScreen()
    let client = try await caller.open("Client")
    _ = try await caller.send("one", at: client)
    #expect(try await world.sandbox.state().openSockets == 1)
    try await saver.lock(caller)
    try await expectRefusal("Locked") { try await caller.send("locked", at: client) }
    let locked = try await caller.stream("locked", at: client)
    #expect(try await locked.end().failure.name == "Locked")
    #expect(try await world.sandbox.state().requests["responses"] == 1)
    try await expectNoSocket(world)
    try await saver.unlock(caller)
    #expect(try await caller.send("two", at: client).contains("3 messages"))

    // A turn that runs during the lock keeps its socket to its end, and no longer.
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two three","delta_delay_ms":700}]"#)
    let turn = try await caller.stream("hi")
    try await eventually("a part of the answer") { try await !turn.snapshot().text.isEmpty }
    try await saver.lock(caller)
    saver.setActive(false)
    _ = try await turn.end()
    try await expectNoSocket(world)
  }

  // MARK: The end of a socket

  /// Any object of the account uses the socket of a turn that has ended. Each account has sockets of its own.
  @Test func aSocketServesTheNextTurnOfAnyObject() async throws {
    let (world, caller) = try await World.signedIn()
    let other = try await world.caller()
    _ = try await caller.send("standalone")
    let client = try await caller.open("Client")
    _ = try await caller.send("one", at: client)
    try await caller.call("Manager.Close", client)
    #expect(try await other.send("two", at: other.open("Client")).contains("1 message."))
    _ = try await other.send("three", to: other.createThread())
    let state = try await world.sandbox.state()
    #expect(state.requests["handshake"] == 1)
    #expect(state.openSockets == 1)
    #expect(state.lastResponsesRequest.body?.previousResponseId == nil)

    let work: VariantDictionary = ["keychain_account": "work"]
    try await caller.signIn(at: caller.open("Session", work))
    _ = try await caller.send("hi", at: caller.open("Client", work))
    #expect(try await world.sandbox.state().requests["handshake"] == 2)
    await world.service.end()
    try await expectNoSocket(world)
  }
}

// SPDX-License-Identifier: Apache-2.0

/// `org.chappie.Threads`: stored turns.
@Suite(.worlds) @GLibActor
struct ThreadTurnTests {
  /// A thread and other conversations share nothing.
  @Test func aThreadIsASeparateConversation() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    for path in [ObjectPath.chappie, client] {
      let one = try await caller.createThread(at: path)
      let other = try await caller.createThread(at: path)
      _ = try await caller.send("One", to: one, at: path)
      #expect(try await caller.send("Two", to: other, at: path).contains("1 message"))
      #expect(try await caller.send("Three", ["continue": true], at: path).contains("1 message"))
      #expect(try await caller.send("Four", to: one, ["continue": true], at: path).contains("3 messages"))
      try await caller.call("Client.ClearContext", at: path)
    }

    // Its turns run in sequence, also from different objects.
    let thread = try await caller.createThread()
    let turns = try await [
      caller.stream("One", to: thread), caller.stream("Two", to: thread, at: client),
      caller.stream("Three", to: thread), caller.stream("Four", to: thread, at: client),
    ]
    for (turn, count) in zip(turns, ["1 message", "3 messages", "5 messages", "7 messages"]) {
      #expect(try await turn.end().answer.text.contains(count))
    }
    #expect(try await caller.thread(thread).inputs == ["One", "Two", "Three", "Four"])

    // The model and the harness are those of the object.
    try await caller.call("Client.SelectModel", "gpt-6-luna", at: client)
    try await caller.call("Client.SetHarness", ["instructions": "Answer in rhymes."] as VariantDictionary, at: client)
    _ = try await caller.send("Five", to: thread, at: client)
    let body = try await world.sandbox.state().lastResponsesRequest.body
    #expect(body?.model == "gpt-6-luna")
    #expect(body?.instructions.contains("Answer in rhymes.") == true)
  }

  /// The order holds even while the service is still identifying the caller.
  @Test func callsTakeEffectInTheirOrder() async throws {
    let world = try await World.begin()
    let thread = try await world.signedInCaller().createThread()
    let caller = try await world.caller()
    let texts = (1...6).map { "Number \($0)" }
    // Tasks may make their calls in another order than they are listed in.
    let capture = try await BusCapture(world.directories)
    let sends = texts.map { text in Task.onGLib { try await caller.send(text, to: thread) } }
    for send in sends { _ = try await send.value }
    try await capture.end()
    let calls = try capture.messages().filter { $0.type == BusCapture.Message.call }
    #expect(try capture.occurrences(of: "GetConnectionCredentials") == 1, "a caller is inspected once")
    let made = calls.compactMap { call in texts.first(where: call.contains) }
    #expect(Set(made) == Set(texts))
    let inputs = try await caller.thread(thread).inputs
    #expect(inputs == made)
  }

  @Test func aTurnIsStoredWhenItCompletesOrFails() async throws {
    let (world, caller) = try await World.signedIn()
    let thread = try await caller.createThread()
    let turn = try await caller.stream("Hello", to: thread)
    let answer = try await turn.end().answer.text
    #expect(try turn.deltas.map(\.text).joined() == answer)
    #expect(try await turn.snapshot().status == "completed")
    let order = caller.signals.map(\.member)
    let changed = try #require(order.lastIndex(of: "ThreadChanged"))
    #expect(changed < (try #require(order.lastIndex(of: "Completed"))))
    #expect(try await caller.thread(thread).turns.last?.events.last?.text == answer)

    try await world.sandbox.play(#"[{"endpoint":"responses","status":400,"times":1}]"#)
    try await expectRefusal("HTTPError") { try await caller.send("One", to: thread) }
    #expect(try await caller.thread(thread).kinds.last == ["input", "error"])
    #expect(try await caller.thread(thread).turns.last?.events.last?.name == "http-error")
    #expect(try await caller.send("Two", to: thread).contains("3 messages"))

    // A summary whose caller leaves is not stored.
    try await world.sandbox.stall(times: "1")
    let gdbus = try ChildProcess(
      "gdbus", "gdbus",
      [
        "call", "--session", "-d", "org.chappie", "-o", "/org/chappie", "-m", "org.chappie.Threads.Compact", thread,
        "",
      ], in: world.directories)
    try await eventually("the summary to start") { try await world.sandbox.state().openStreams == 1 }
    await gdbus.terminate()
    #expect(try await caller.send("Three", to: thread).contains("5 messages"))
    #expect(try await caller.thread(thread).turns.count == 4)

    // One that the model has written replaces its input, also after a restart.
    try await caller.call("Threads.Compact", thread, "")
    #expect(try await caller.thread(thread).kinds.last == ["compaction"])
    try await world.service.restart()
    _ = try await caller.send("Four", to: thread)
    #expect(try await !world.sandbox.state().lastInput.contains { $0.contains("Three") })
  }

  @Test func aTurnThatItsCallerOrTheServiceLeavesIsStoredAsCancelled() async throws {
    let (world, stays) = try await World.signedIn()
    let thread = try await stays.createThread()
    try await world.sandbox.stall()
    do {
      let leaves = try await Caller(world.directories.busAddress)
      let turn = try await leaves.stream("One", to: thread)
      try await eventually("a part of the answer") { try await turn.snapshot().text == Sandbox.stalledText }
    }
    try await eventually("the turn to be stored") { try await stays.thread(thread).turns.count == 1 }
    let events = try await stays.thread(thread).turns[0].events
    #expect(events.map(\.kind) == ["input", "output", "error"])
    #expect(events[1].text == Sandbox.stalledText)
    #expect(events[2].name == "cancelled")

    // A service that is told to end stores its running turns.
    let turn = try await stays.stream("Two", to: thread)
    try await eventually("a part of the answer") { try await turn.snapshot().text == Sandbox.stalledText }
    try await world.service.restart()
    #expect(try await stays.thread(thread).kinds.last == ["input", "output", "error"])
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aThreadCanBeContinuedAfterARemovedTurn(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let client = try await caller.open("Client")
    let thread = try await caller.createThread()
    for text in ["One", "Two"] { _ = try await caller.send(text, to: thread) }
    // The other object has the conversation in memory too.
    #expect(try await caller.send("Three", to: thread, at: client).contains("5 messages"))
    let before = try caller.threadChanges()
    try await caller.call("Threads.UndoTurn", thread, [:] as VariantDictionary)
    #expect(try caller.threadChanges() == before + ["\(thread) updated"])
    #expect(try await caller.send("Instead", to: thread).contains("5 messages"))
    #expect(try await caller.send("Four", to: thread, at: client).contains("7 messages"))
    try await world.service.restart()
    try await caller.call("Threads.UndoTurn", thread, [:] as VariantDictionary)
    #expect(try await caller.send("Five", to: thread).contains("7 messages"))
    let stored = try await caller.thread(thread)
    #expect(stored.inputs == ["One", "Two", "Instead", "Five"])
    #expect(stored.summary.title == "One")
    #expect(stored.kinds == Array(repeating: ["input", "payload", "output"], count: 4))
    #expect(stored.damage.isEmpty)
    #expect(stored.summary.turnCount == 4)
    for _ in 1...4 { try await caller.call("Threads.UndoTurn", thread, [:] as VariantDictionary) }
    try await expectRefusal("InvalidArgument") {
      try await caller.call("Threads.UndoTurn", thread, [:] as VariantDictionary)
    }
  }

  @Test func noTurnIsRemovedWhileAnotherRuns() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    let thread = try await caller.createThread()
    _ = try await caller.send("One", to: thread)
    let (turn, call) = try await caller.waitingTurn(in: thread, world)
    for path in [ObjectPath.chappie, client] {
      try await expectRefusal("InvalidArgument") {
        try await caller.call("Threads.UndoTurn", thread, [:] as VariantDictionary, at: path)
      }
    }
    try await caller.answer(call, of: turn)
    _ = try await turn.end()
    try await caller.call("Threads.UndoTurn", thread, [:] as VariantDictionary)
    #expect(try await caller.thread(thread).inputs == ["One"])

    // A turn whose thread is deleted meanwhile ends with its answer, and with the reason that it is not stored.
    let (late, question) = try await caller.waitingTurn(in: thread, world)
    try await caller.call("Threads.Delete", thread)
    try await caller.answer(question, of: late)
    let failure = try await late.end().failure
    #expect(failure.name == "NoSuchThread")
    #expect(failure.message.contains(late.id))
    #expect(failure.details.text("partial_text") == "Thank you.")
    #expect(failure.details.text("response_id") != nil)
    #expect(try await late.snapshot().text == "Thank you.")
    try await expectRefusal("NoSuchThread") { try await caller.send("More", to: thread) }
  }
}
